// expect: K0229
connector U = input Real; connector Y = output Real;
model A Y y; equation y = 1; end A;
model B U u; Real z = u; end B;
model M A a, b; B c; equation connect(a.y, c.u); connect(b.y, c.u); end M;
