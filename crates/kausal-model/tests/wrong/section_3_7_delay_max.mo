// expect: K0351
model M Real d = time; Real y = delay(time, d); end M;
