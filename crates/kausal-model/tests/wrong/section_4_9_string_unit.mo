// expect: K0213
model M String s(unit = "m") = "a"; end M;
