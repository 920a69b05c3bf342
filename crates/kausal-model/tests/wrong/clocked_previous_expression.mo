// expect: K0351 K0351
model M
  Real u = sample(time, Clock(0.1));
  Real y = previous(2*u);
  Real z = hold(Clock(0.1));
end M;
