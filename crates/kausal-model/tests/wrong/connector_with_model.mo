// expect: K0253
model M
  model A
    Real x = 1;
  end A;
  connector C
    A a;
  end C;
  C c;
end M;
