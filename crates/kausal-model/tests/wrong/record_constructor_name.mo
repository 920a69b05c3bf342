// expect: K0352
model M
  record R
    Real x;
  end R;
  R r = R(z = 2);
end M;
