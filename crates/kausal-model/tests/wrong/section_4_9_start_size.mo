// expect: K0316
model M Real x[2](start = {1, 2, 3}); equation der(x) = {1, 1}; end M;
