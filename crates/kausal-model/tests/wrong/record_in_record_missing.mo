// expect: K0202
model M
  record R
    S s;
  end R;
  R r;
end M;
