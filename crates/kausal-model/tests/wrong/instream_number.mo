// expect: K0351
model M
  Real x = inStream(3);
end M;
