// expect: K0216
model M
  partial model I
    Real v;
  end I;
  model Q
    Real w = 2;
  end Q;
  model A
    replaceable Q p constrainedby I;
  end A;
  A a;
end M;
