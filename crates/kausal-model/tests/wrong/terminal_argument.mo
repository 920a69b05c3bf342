// expect: K0351
model M
  Boolean b = terminal(1);
end M;
