// expect: K0205
model M
  record R
    Real a;
  end R;
  record S
    Real b;
  end S;
  R r;
  S s = S(1);
algorithm
  r := s;
end M;
