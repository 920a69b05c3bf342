// expect: K0226
model M
  model P
    Real v = time;
  end P;
  model Q
    extends P;
    Real w = 1;
  end Q;
  model A
    replaceable P p;
  end A;
  A a(redeclare Q p, redeclare P p);
end M;
