// expect: K0216
model M
  partial model I
    Real v;
  end I;
  model P
    extends I;
  equation
    v = 1;
  end P;
  model Q
    Real w = 2;
  end Q;
  model A
    replaceable P p constrainedby I;
  end A;
  A a(redeclare Q p);
end M;
