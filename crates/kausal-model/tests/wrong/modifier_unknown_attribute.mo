// expect: K0213
model M "no such attribute"
  Real x(strat = 1, fixed = true);
equation
  der(x) = -x;
end M;
