// expect: K0324
model M "a discrete variable follows a continuous one"
  Real x = time;
  discrete Real d = x;
end M;
