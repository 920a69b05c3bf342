// expect: K0351
model M Real dt = time; Boolean b = sample(0, dt); end M;
