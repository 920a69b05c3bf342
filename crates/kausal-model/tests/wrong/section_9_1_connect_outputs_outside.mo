// expect: K0229
connector Y = output Real;
model A Y y; equation y = 1; end A;
model M A a, b; Y y; equation connect(a.y, y); connect(b.y, y); end M;
