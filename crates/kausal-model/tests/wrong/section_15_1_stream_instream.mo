// expect: K0238
model M Real x = 1; Real y = inStream(x); end M;
