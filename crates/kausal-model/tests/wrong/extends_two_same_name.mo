// expect: K0225
model M
  model A
    parameter Real p = 1;
  end A;
  model B
    parameter Real p = 2;
  end B;
  extends A;
  extends B;
end M;
