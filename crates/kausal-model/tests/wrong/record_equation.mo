// expect: K0251
model M
  record R
    Real x;
  equation
    x = time;
  end R;
  R r;
end M;
