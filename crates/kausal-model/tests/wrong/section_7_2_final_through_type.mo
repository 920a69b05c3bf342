// expect: K0214
type T = Real(final unit = "m");
model M T x(unit = "s") = 1; end M;
