// expect: K0351
model M "the message of assert must be a String"
  Real x = time;
equation
  assert(x < 10, 5);
end M;
