// expect: K0213
model M
  function f
    input Real u;
    output Real y;
  algorithm
    y := u;
  end f;
  function g = f(z = 2);
  Real x = g(time);
end M;
