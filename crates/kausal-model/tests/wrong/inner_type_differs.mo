// expect: K0228
model M
  model A
    outer Real k;
    Real x = k;
  end A;
  inner Boolean k = true;
  A a;
end M;
