// expect: K0230
connector C Real e; flow Real f; end C;
model M C a, b; equation if time > 1 then connect(a, b); end if; a.e = 1; end M;
