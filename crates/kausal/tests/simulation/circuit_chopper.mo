// A chopper with a coil and a freewheeling diode: the current rises and falls exponentially.
model M
  parameter Real R = 1, L = 1, U = 10, T = 1, duty = 0.4;
  Real i(start = 0, fixed = true);
  Real v, diode, s;
  Boolean on, blocks;
  discrete Real start(start = 0, fixed = true);
equation
  when sample(0, T) then
    start = time;
  end when;
  on = time < start + duty*T;
  blocks = s < 0;
  // The diode lies from ground to the switched end: it conducts what the switch does not.
  v = if on then U else -s*(if blocks then 1 else 0);
  diode = if on then 0 else s*(if blocks then 0 else 1);
  s = if on then -1 else i;
  L*der(i) = v - R*i;
  annotation(experiment(StopTime = 5, Tolerance = 1e-8));
end M;
