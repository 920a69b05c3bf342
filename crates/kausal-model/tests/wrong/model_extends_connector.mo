// expect: K0252
model M
  connector C
    Real v;
    flow Real i;
  end C;
  extends C;
equation
  v = 1;
end M;
