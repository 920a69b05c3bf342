// A Schmitt trigger has three states at rest; a start value says which one is meant.
model M
  Real y, u;
  Real i(start = 0.01);
equation
  y = homotopy(if 15000*u > 15 then 15 elseif 15000*u < -15 then -15 else 15000*u, 15);
  u - y = 1500*i;
  u = -1000*i;
end M;
