// expect: K0351
model M
  Real x = spatialDistribution(1, 2);
end M;
