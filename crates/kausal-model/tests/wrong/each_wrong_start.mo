// expect: K0227
model M
  Real x[2](each start = {1, 2});
equation
  der(x) = {1, 2};
end M;
