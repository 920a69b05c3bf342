// A car on a bumpy road: two constraints, one of them moves (index 3).
model M
  parameter Real mass = 10, eps = 1e-2, l = 1, l0 = 0.5, r = 0.1, w = 10;
  parameter Real k = eps^2*mass/2;
  Real xl(start = 0), xr(start = l), ul(start = -l0/l), ur(start = -l0/l);
  Real yl(start = l0, fixed = true, stateSelect = StateSelect.always);
  Real yr(start = l0, fixed = true, stateSelect = StateSelect.always);
  Real vl(start = 0, fixed = true, stateSelect = StateSelect.always);
  Real vr(start = 0, fixed = true, stateSelect = StateSelect.always);
  Real lambda[2], yb, xb, left, right;
equation
  yb = r*sin(w*time);
  xb = sqrt(l^2 - yb^2);
  left = sqrt(xl^2 + yl^2);
  right = sqrt((xr - xb)^2 + (yr - yb)^2);
  der(xl) = ul;
  der(yl) = vl;
  der(xr) = ur;
  der(yr) = vr;
  k*der(ul) = (l0 - left)*xl/left + lambda[1]*xb + 2*lambda[2]*(xl - xr);
  k*der(vl) = (l0 - left)*yl/left + lambda[1]*yb + 2*lambda[2]*(yl - yr) - k;
  k*der(ur) = (l0 - right)*(xr - xb)/right - 2*lambda[2]*(xl - xr);
  k*der(vr) = (l0 - right)*(yr - yb)/right - 2*lambda[2]*(yl - yr) - k;
  xl*xb + yl*yb = 0;
  (xl - xr)^2 + (yl - yr)^2 = l^2;
  annotation(experiment(StopTime = 3, Tolerance = 1e-9));
end M;
