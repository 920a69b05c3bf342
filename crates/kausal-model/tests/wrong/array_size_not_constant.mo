// expect: K0301 K0301
model M "the size of an array must be known"
  Real s = time;
  Real x[integer(s)];
equation
  x = zeros(integer(s));
end M;
