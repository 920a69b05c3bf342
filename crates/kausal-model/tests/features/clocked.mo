model Clocked "a sampled controller with a slower supervisor"
  connector ClockInput = input Clock;
  connector ClockOutput = output Clock;
  block Ticks
    parameter Integer counter(min = 1) = 20;
    ClockOutput y;
  equation
    y = Clock(counter, 1000);
  end Ticks;
  block Sampler
    input Real u;
    ClockInput clock;
    output Real y;
  equation
    y = sample(u, clock);
  end Sampler;
  type Mode = enumeration(slow, fast);
  Ticks ticks;
  Sampler sampler(u = x);
  Clock slow = subSample(ticks.y, 4);
  Clock byEvent = Clock(x > 2, 0.1);
  Clock regular = Clock(1.0);
  Clock solved = Clock(regular, "ExplicitEuler");
  Real x(start = 1, fixed = true);
  Real error;
  Real sum(start = 0);
  Real w[2];
  Real shifted, back;
  Real h "how far apart the ticks are";
  Integer n(start = 0);
  Boolean first;
  Mode mode(start = Mode.slow);
  Mode mode2;
  Real held;
  Real seen;
equation
  connect(ticks.y, sampler.clock);
  der(x) = hold(sum) - x;
  error = 1 - sampler.y;
  sum = previous(sum) + interval(sum)*error;
  first = firstTick(sum);
  h = interval();
  w = superSample({seen, 2*seen}, 2);
  shifted = shiftSample(sum, 1, 2);
  back = backSample(shifted, 1, 2);
  when slow then
    n = previous(n) + 1;
    0 = seen - subSample(sum, 4);
    assert(n < 1000, "too long");
  end when;
  when byEvent then
    mode = if previous(mode) == Mode.slow then Mode.fast else Mode.slow;
  end when;
  mode2 = noClock(mode);
  when {x > 3, x < -3} then
    held = pre(held) + 1;
  end when;
end Clocked;
