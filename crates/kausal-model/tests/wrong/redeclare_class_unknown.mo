// expect: K0213
model M
  model A
    Real x = 1;
  end A;
  A a(redeclare model P = A);
end M;
