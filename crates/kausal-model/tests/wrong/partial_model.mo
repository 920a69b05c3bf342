// expect: K0217
partial model M "a partial class cannot be flattened"
  Real x;
equation
  x = 1;
end M;
