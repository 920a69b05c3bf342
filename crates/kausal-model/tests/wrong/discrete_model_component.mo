// expect: K0324
model M
  model A
    Real x = time;
  end A;
  constant A a;
end M;
