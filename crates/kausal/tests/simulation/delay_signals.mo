// Signals read later: smooth, with a jump, by a delay that grows, and in a loop at the start.
model M
  Real smooth_signal = delay(sin(time), 0.3);
  Real jump = delay(if time < 0.45 then 1 else 2, 0.25);
  Real stretched = delay(time^2, 0.5*time, 2);
  Real echo = 1 + 0.5*delay(echo, 0.4);
  Integer arrived(start = 0, fixed = true);
equation
  when jump > 1.5 then
    arrived = pre(arrived) + 1;
  end when;
  annotation(experiment(StopTime = 2, Tolerance = 1e-8));
end M;
