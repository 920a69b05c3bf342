// expect: K0213
model M Integer n(stateSelect = StateSelect.always) = 1; end M;
