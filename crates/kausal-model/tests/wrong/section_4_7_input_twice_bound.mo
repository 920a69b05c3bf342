// expect: K0240
model A input Real u; Real y = u; end A;
model M A a(u = 1); equation a.u = 2; end M;
