// expect: K0324
model M
  model A
    Real x = time;
  end A;
  parameter A a;
end M;
