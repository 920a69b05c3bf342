// expect: K0240
connector U = input Real; connector Y = output Real;
model M U u; Y y; U v; equation connect(u, v); y = 1; end M;
