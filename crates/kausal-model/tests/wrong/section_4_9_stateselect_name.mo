// expect: K0206
model M Real x(stateSelect = StateSelect.often); equation der(x) = 1; end M;
