// expect: K0324
model M
  String s = String(time);
end M;
