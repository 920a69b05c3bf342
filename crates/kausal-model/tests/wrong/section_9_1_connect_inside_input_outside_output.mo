// expect: K0240
connector U = input Real; connector Y = output Real;
model B U u; Real z = u; end B;
model M B b; Y y; equation connect(b.u, y); end M;
