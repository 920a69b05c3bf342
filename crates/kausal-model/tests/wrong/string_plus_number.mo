// expect: K0340
model M
  String s = "a" + 1;
end M;
