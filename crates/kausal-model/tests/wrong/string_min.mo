// expect: K0213 K0317
model M
  String s(min = 1) = "a";
end M;
