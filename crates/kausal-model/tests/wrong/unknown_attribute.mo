// expect: K0213
model M
  Real x(strat = 1) = time;
end M;
