// expect: K0215
model M
  model P
    Real v = 1;
  end P;
  model A
    replaceable P p;
  end A;
  A a(redeclare model p = P);
end M;
