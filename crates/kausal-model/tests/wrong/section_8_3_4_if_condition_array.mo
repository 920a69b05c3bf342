// expect: K0342
model M Real x; equation if {true, false} then x = 1; else x = 2; end if; end M;
