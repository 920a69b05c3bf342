// expect: K0510
// says: nested too deeply
// A recursion that never comes back.
function f
  input Real x;
  output Real y;
algorithm
  y := f(x + 1) + 1;
end f;
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = f(time);
end M;
