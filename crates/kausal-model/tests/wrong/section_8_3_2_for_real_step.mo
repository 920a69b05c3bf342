// expect: K0335
model M Real x[3]; equation for i in 1.5:3.5 loop x[i] = 1; end for; end M;
