// expect: K0390
model M "a transition is no action"
  block State
  end State;
  State a, b;
equation
  initialState(a);
  when time > 1 then
    transition(a, b, true);
  end when;
end M;
