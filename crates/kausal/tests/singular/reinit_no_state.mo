// expect: K0417
// What must never be a state and what time determines cannot be set anew.
model M
  Real a(start = 0, fixed = true), b(stateSelect = StateSelect.never), f;
  Real x, v;
equation
  der(a) = f + 1;
  der(b) = -f;
  b = 2*a;
  x = sin(time);
  der(x) = v;
  when time > 0.5 then
    reinit(b, 1);
    reinit(x, 1);
  end when;
end M;
