// expect: K0360
model M "more results wanted than the function has"
  function f
    input Real a;
    output Real y;
    output Real z;
  algorithm
    y := a;
    z := 2*a;
  end f;
  Real p;
  Real q;
  Real r;
equation
  (p, q, r) = f(time);
end M;
