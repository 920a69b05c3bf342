// expect: K0351
model M
  String s = String(1, 2, 3, 4);
end M;
