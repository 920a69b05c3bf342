// expect: K0346
model M
  record R
    Real a = 1;
  end R;
  R r;
  Real x = sum(q.a for q in r);
end M;
