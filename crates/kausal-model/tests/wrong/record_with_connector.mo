// expect: K0253
model M
  connector C
    Real v;
    flow Real i;
  end C;
  record R
    C c;
  end R;
  R r;
equation
  r.c.v = 1;
end M;
