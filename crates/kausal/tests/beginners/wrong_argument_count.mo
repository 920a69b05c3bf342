// Wrong argument count.
// expect: K0372
// line: 12
// words: the input b of f is not given
function f
  input Real a;
  input Real b;
  output Real y = a + b;
algorithm
end f;
model M
  Real x = f(time);
end M;
