// expect: K0363
model M
  model A
    Real v = time;
  end A;
  A a[2];
  Real x;
equation
  x = a.v;
end M;
