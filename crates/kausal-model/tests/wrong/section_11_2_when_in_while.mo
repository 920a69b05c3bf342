// expect: K0369
model M Real x(start = 0); algorithm while time > 1 loop when time > 2 then x := 1; end when; end while; end M;
