// expect: K0202
model M
  function f
    input Real u = qq;
    output Real y;
  algorithm
    y := u;
  end f;
  Real x = f();
end M;
