// expect: K0321
model M
  record R
    Real x;
  end R;
  record S
    Real y;
  end S;
  R r = S(2);
end M;
