// expect: K0215
model M
  model P
    Real v = 1;
  end P;
  model A
    replaceable model Q = P;
    Q q;
  end A;
  A a(redeclare P Q);
end M;
