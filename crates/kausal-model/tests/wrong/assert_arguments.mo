// expect: K0351
model M "assert needs a message"
  Real x = time;
equation
  assert(x < 10);
end M;
