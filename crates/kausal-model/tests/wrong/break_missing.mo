// expect: K0213
model M
  model A
    Real x = 1;
  end A;
  extends A(break y);
end M;
