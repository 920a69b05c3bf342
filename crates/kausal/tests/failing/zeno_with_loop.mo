// expect: K0513
// recorded: 4
// A ball whose bounces come faster and faster, beside a system that is iterated on. Without the report it would fall through
// the ground as soon as its jumps are smaller than what iterations leave open.
model M
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  Real y(start = 1);
equation
  der(h) = v;
  der(v) = -9.81 - 0.001*y;
  y + exp(y) = 3 + 0.1*v;
  when h < 0 then
    reinit(v, -0.8*pre(v));
  end when;
  annotation(experiment(StopTime = 10));
end M;
