// 12.9: external functions keep their declaration; "builtin" is a built-in function.
function hypotenuse
  input Real a;
  input Real b;
  output Real c;
  external "C" c = hypot(a, b) annotation(Include = "#include <math.h>", Library = "m");
end hypotenuse;
function solve
  input Real A[:, size(A, 1)];
  input Real b[size(A, 1)];
  output Real x[size(A, 1)] = b;
  external "FORTRAN 77" solve2(size(A, 1), A, x);
end solve;
function sine
  input Real u;
  output Real y;
  external "builtin" y = sin(u);
end sine;
model FunctionsExternal
  Real t = time;
  Real c = hypotenuse(t, 2);
  Real x[2] = solve({{2, t}, {t, 3}}, {t, 1});
  Real s = sine(t);
end FunctionsExternal;
