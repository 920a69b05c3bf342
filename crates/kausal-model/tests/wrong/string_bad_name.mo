// expect: K0351
model M
  String s = String(1.5, digits = 3);
end M;
