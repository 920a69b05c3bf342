// expect: K0214
model A Real x(final start = 1); equation der(x) = 1; end A;
model M A a(x(start = 2)); end M;
