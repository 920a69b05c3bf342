// expect: K0390
model M "state machines are another chapter"
  block State
    Real x = time;
  end State;
  State a, b;
equation
  initialState(a);
  transition(a, b, time > 1);
end M;
