// expect: K0513
// recorded: 1.3
// Half of the speed is lost at each bounce: the bounces end at three times the time of the fall.
model M
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -0.5*pre(v));
  end when;
  annotation(experiment(StopTime = 10));
end M;
