// expect: K0340
model M
  record R
    Real x;
  end R;
  R a = R(1);
  R b = R(2);
  R c = a + b;
end M;
