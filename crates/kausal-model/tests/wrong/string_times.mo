// expect: K0340
model M
  String s = "a" * 2;
end M;
