// expect: K0317
model M
  record R
    Real x;
    Boolean b;
  end R;
  R r = R(1, 2);
end M;
