// expect: K0326
model M
  parameter Boolean use = true;
  model A
    Real x = time;
  end A;
  A a if use;
  Real y;
algorithm
  y := a.x;
end M;
