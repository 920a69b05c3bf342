// expect: K0202
model M "one wrong type: what uses the component is not reported too"
  Resistr r;
  Real x = r.v;
  Real y;
equation
  y = 2*r.v + x;
  connect(r.p, r.n);
end M;
