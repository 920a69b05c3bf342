// expect: K0226
model M
  record R
    Real a = 1;
    Real b = 2;
  end R;
  model A
    parameter R r;
  end A;
  A a(r = R(1, 2), r(b = 3));
end M;
