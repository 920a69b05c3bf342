// expect: K0240 K0242
connector U = input Real;
model B U u; Real z = u; end B;
model M B b; end M;
