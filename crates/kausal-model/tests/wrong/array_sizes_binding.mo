// expect: K0316
model M "three places, two values"
  parameter Real x[3] = {1, 2};
end M;
