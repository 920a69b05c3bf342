// expect: K0225
model M
  model A
    parameter Real p = 1;
    Real x = p;
  end A;
  extends A(p = 2);
  extends A(p = 3);
end M;
