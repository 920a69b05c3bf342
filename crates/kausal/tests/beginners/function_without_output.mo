// Function without output.
// expect: K0375 K0383
// line: 7
// words: never assigned
function f
  input Real u;
  output Real y;
algorithm
end f;
model M
  Real x = f(time);
end M;
