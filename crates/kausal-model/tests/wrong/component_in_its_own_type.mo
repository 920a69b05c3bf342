// expect: K0203 K0203
model M
  a.B a;
  c.D b;
  b.E c;
  Real x = a.y + c.z;
equation
  connect(a.p, b.q);
end M;
