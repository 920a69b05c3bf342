// expect: K0231
connector C Real e; flow Real f; end C;
model M C c[2]; C d[3]; equation connect(c, d); for i in 1:2 loop c[i].e = 1; end for; end M;
