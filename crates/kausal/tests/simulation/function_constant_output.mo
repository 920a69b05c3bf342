// A function that stays a call, with an output that is zero whatever the voltage is: there is no capacitance and no state.
model M
  function junction
    input Real c0;
    input Real g;
    input Real v;
    output Real i;
    output Real c;
  algorithm
    if v > 0.5 then
      c := 2*c0;
    else
      c := c0*(1 + v)/(3 + v^2);
    end if;
    i := g*v;
    annotation(Inline = false);
  end junction;
  Real v, i, c, charging;
equation
  (i, c) = junction(0, 2, v);
  charging = c*der(v);
  sin(time) - v = i + charging;
  annotation(experiment(StopTime = 2, Tolerance = 1e-8));
end M;
