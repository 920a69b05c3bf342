// A ball that loses a twentieth of its speed at each bounce.
model M
  parameter Real g = 9.81, e = 0.95;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  Integer bounces(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -g;
  when h < 0 then
    reinit(v, -e*pre(v));
    bounces = pre(bounces) + 1;
  end when;
  annotation(experiment(StopTime = 15, Tolerance = 1e-10));
end M;
