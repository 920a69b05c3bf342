// expect: K0326
model M
  parameter Boolean use = true;
  Real x if use;
equation
  x = time;
end M;
