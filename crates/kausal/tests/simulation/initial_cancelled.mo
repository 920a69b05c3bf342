// A point that is bound to a slanted plane and begins at given places across and above it, of which the plane says one as
// well. How far along it begins is not determined and stays at the guess; the coefficient that says so is zero but for
// rounding, which must not be divided by.
model M
  parameter Real a = 1.3, b = 1.1;
  parameter Real n[3] = {-sin(a)*cos(b), cos(a)*cos(b), sin(b)};
  parameter Real t[3] = {cos(a), sin(a), 0};
  parameter Real s[3] = {sin(a)*sin(b), -cos(a)*sin(b), cos(b)};
  parameter Real origin[3] = {0.2, -0.3, 0.2};
  Real r[3](each stateSelect = StateSelect.prefer);
  Real v[3](each stateSelect = StateSelect.prefer);
  Real q[3](start = {0, 0, 0}, fixed = {false, true, true});
  Real qd[3](start = {0, 0, 0}, fixed = {false, true, true});
  Real force;
equation
  r = origin + q[1]*t + q[2]*s + q[3]*n;
  n*(r - origin) = 0;
  der(q) = qd;
  der(r) = v;
  der(v) = {-1, 0, 0} + force*n;
  annotation(experiment(StopTime = 1, Tolerance = 1e-8));
end M;
