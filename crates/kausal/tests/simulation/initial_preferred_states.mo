// Relative motion is preferred as states, also the relative speed that nothing differentiates: when the first mass is
// stopped, the relative speed goes on and the second mass jumps.
model M
  Real s1(start = 0, fixed = true), v1(start = 1, fixed = true, stateSelect = StateSelect.always);
  Real s2, v2;
  Real s_rel(start = 1, fixed = true, stateSelect = StateSelect.prefer);
  Real v_rel(start = 0.5, fixed = true, stateSelect = StateSelect.prefer);
equation
  v1 = der(s1);
  v2 = der(s2);
  s_rel = s2 - s1;
  v_rel = der(s_rel);
  der(v1) = 0;
  der(v2) = 0;
  when time > 0.5 then
    reinit(v1, 0);
  end when;
  annotation(experiment(StopTime = 1));
end M;
