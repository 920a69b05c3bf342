// expect: K0231
model M
  connector C
    Real v;
    flow Real i;
  end C;
  C a[2, 2];
  C b[4];
equation
  connect(a, b);
  a.v = {{1, 2}, {3, 4}};
end M;
