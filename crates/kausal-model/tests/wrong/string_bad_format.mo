// expect: K0351
model M
  String s = String(1.5, format = 3);
end M;
