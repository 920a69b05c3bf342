// 12.4: default and named arguments, functions as arguments, partial application, record constructors, vectorised calls.
partial function Scalar
  input Real u;
  output Real y;
end Scalar;
function parabola
  extends Scalar;
  input Real a = 1;
  input Real b = 2*a;
algorithm
  y := a*u^2 + b;
end parabola;
function integral
  input Scalar f;
  input Real lo;
  input Real hi;
  input Integer n = 4;
  output Real area;
algorithm
  area := 0;
  for i in 1:n loop
    area := area + f(lo + (i - 0.5)*(hi - lo)/n)*(hi - lo)/n;
  end for;
end integral;
record Pair
  Real a;
  Real b = 2;
end Pair;
record Coefficients
  Real c0;
  Real c[2];
end Coefficients;
function polynomial
  extends Scalar;
  input Coefficients k;
algorithm
  y := k.c0 + k.c[1]*u + k.c[2]*u^2;
end polynomial;
function twice
  input Real t;
  input Coefficients k;
  output Real y;
algorithm
  y := integral(function polynomial(k = k), 0, t) + integral(function polynomial(k = k), t, 2*t);
end twice;
function swap
  input Pair p;
  output Pair q;
algorithm
  q := Pair(a = p.b, b = p.a);
end swap;
function minmax
  input Real v[:];
  output Real lo = min(v);
  output Real hi = max(v);
algorithm
end minmax;
model FunctionsArguments
  Real t = time;
  Real y1 = parabola(t);
  Real y2 = parabola(t, b = 3);
  Real y3 = integral(function parabola(a = t), 0, t);
  Real y4 = integral(parabola, 0, t, n = 2);
  Real y5 = integral(function polynomial(k = Coefficients(1, {2, t})), 0, t);
  Real y6 = twice(t, Coefficients(1, {2, 3}));
  Pair p = swap(Pair(t));
  Real vec[2] = parabola({t, 2*t}, 3);
  Real lo;
  Real hi;
  Real both;
equation
  (lo, hi) = minmax({t, 1 - t, t^2});
  (both) = minmax({t, 2}) + 1;
end FunctionsArguments;
