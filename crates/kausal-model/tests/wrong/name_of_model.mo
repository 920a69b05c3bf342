// expect: K0200
model Mode "the file has no model M"
  Real x = 1;
end Mode;
