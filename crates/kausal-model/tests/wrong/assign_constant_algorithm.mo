// expect: K0325
model M "a constant is assigned in an algorithm"
  constant Real c = 1;
  Real x;
algorithm
  c := 2;
  x := c;
end M;
