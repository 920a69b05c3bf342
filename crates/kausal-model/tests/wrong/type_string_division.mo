// expect: K0340
model M "strings cannot be divided"
  String s = "a"/"b";
end M;
