// Two hundred bounces and more, each a little shorter, ended by the model before they pile up.
model M
  parameter Real g = 9.81, e = 0.97;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  Integer bounces(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -g;
  when h < 0 then
    reinit(v, -e*pre(v));
    bounces = pre(bounces) + 1;
    if bounces >= 250 then
      terminate("enough");
    end if;
  end when;
  annotation(experiment(StopTime = 100, Tolerance = 1e-8));
end M;
