// Discrete Real unknowns in a loop with what they control: solved at the event, also where substitution diverges.
model M
  Real y, z;
  discrete Real u(start = 0, fixed = true), v(start = 0, fixed = true);
equation
  y = 1 + 0.5*u;
  z = 2 + u + v;
  when time >= 0.5 then
    u = -6*y;
    v = z - 3*u - 3*v;
  end when;
  annotation(experiment(StopTime = 1, Tolerance = 1e-6));
end M;
