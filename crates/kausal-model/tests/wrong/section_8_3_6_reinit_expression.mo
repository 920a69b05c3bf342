// expect: K0351
model M Real x(start = 1); equation der(x) = -x; when time > 1 then reinit(x + 1, 1); end when; end M;
