// expect: K0351
model M "sin of two things"
  Real x = sin(1, 2);
end M;
