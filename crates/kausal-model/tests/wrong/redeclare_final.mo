// expect: K0214
model M
  model P
    Real v = time;
  end P;
  model A
    final replaceable P p;
  end A;
  A a(redeclare P p);
end M;
