// A connector without flow.
// expect: K0241 K0250 K0401 K0402
// line: 5
// words: equally many; has no unknown left
connector C
  Real v;
  Real i;
end C;
model R
  C p;
  C n;
equation
  p.v - n.v = 3*p.i;
  p.i + n.i = 0;
end R;
model M
  R r1;
  R r2;
equation
  connect(r1.p, r2.p);
  connect(r1.n, r2.n);
end M;
