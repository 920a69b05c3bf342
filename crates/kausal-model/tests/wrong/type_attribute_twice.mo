// expect: K0226
model M
  type T = Real(unit = "m", unit = "s");
  T x = 1;
end M;
