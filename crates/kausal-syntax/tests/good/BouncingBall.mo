model BouncingBall "Events, and what happens at them"
  parameter Real e = 0.7 "Coefficient of restitution";
  parameter Real g = 9.81;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  Boolean flying(start = true, fixed = true);
  discrete Integer bounces(start = 0);
  Boolean impact = h <= 0.0;
  discrete Real lastTime;
  Real energy = 0.5*v^2 + g*h;
equation
  der(h) = v;
  der(v) = if flying then -g else 0;
  when {h <= 0.0 and v <= 0.0, impact} then
    if edge(impact) then
      reinit(v, -e*pre(v));
    end if;
    bounces = pre(bounces) + 1;
    flying = not (abs(v) < 1e-3) or change(bounces);
    lastTime = time;
  elsewhen sample(0, 0.1) then
    bounces = pre(bounces);
    flying = pre(flying);
    lastTime = pre(lastTime);
  end when;
  when terminal() then
    Modelica.Utilities.Streams.print("bounces: " + String(bounces, minimumLength = 3, leftJustified = false));
  end when;
  if noEvent(bounces > 20) then
    terminate("enough");
  end if;
algorithm
  when initial() then
    assert(e >= 0 and e <= 1, "e is out of range", level = AssertionLevel.warning);
  end when;
end BouncingBall;
