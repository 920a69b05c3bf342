// expect: K0232
connector U = input Real;
model A U u; Real y = u; end A;
model M parameter Real p = 1; A a; equation connect(a.u, p); end M;
