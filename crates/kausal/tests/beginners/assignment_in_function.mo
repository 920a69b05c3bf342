// Assignment in function.
// expect: K0111
// line: 9
// words: write `:=`
function f
  input Real u;
  output Real y;
algorithm
  y = 2*u;
end f;
model M
  Real x = f(time);
end M;
