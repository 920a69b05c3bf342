// expect: K0326
model M
  model A
    Real x = time;
  end A;
  parameter Boolean use = true;
  A a if use;
  Real y = a.x;
end M;
