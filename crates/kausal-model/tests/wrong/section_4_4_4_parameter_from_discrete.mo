// expect: K0324
model M discrete Real x(start = 0); parameter Real p = x; equation when time > 1 then x = 1; end when; end M;
