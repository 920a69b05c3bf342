// expect: K0202 K0202 K0202 K0375
model M
  function f
    input Real u;
    output Real y;
  algorithm
    y := foo + bar;
    y := baz;
  end f;
  Real x = f(time);
end M;
