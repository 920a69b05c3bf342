// Flow equation missing.
// expect: K0240 K0241 K0401
// line: 14
// words: 1 equation is missing;pipe
connector Port
  Real p;
  flow Real q;
end Port;
model Pipe
  Port a, b;
equation
  a.p - b.p = 2*a.q;
end Pipe;
model M
  Pipe pipe;
  Port left, right;
equation
  left.p = 2;
  right.p = 1;
  connect(left, pipe.a);
  connect(pipe.b, right);
end M;
