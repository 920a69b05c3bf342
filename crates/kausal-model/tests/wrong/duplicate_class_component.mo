// expect: K0212
model M
  model A
    Real x = 1;
  end A;
  Real A = 1;
end M;
