// expect: K0246
model M
  model A
    Real x = 1;
  end A;
  A a = 3;
end M;
