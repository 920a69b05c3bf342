// expect: K0324
model M Real x = time; constant Real c = x; end M;
