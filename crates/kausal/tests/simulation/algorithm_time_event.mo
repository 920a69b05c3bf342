// An algorithm that cannot be written as formulas (its function has a loop): the condition of its `when` statement is a
// relation of what comes from outside, and causes events all the same. So does the one of its `if` statement.
model M
  function after
    input Real t;
    output Real next;
  algorithm
    next := 0;
    while next <= t loop
      next := next + 0.25;
    end while;
  end after;
  discrete Real next(start = 0, fixed = true);
  Integer count(start = 0, fixed = true);
  Real x(start = 0, fixed = true);
  Real y;
  Real area(start = 0, fixed = true);
algorithm
  when {time >= pre(next), initial()} then
    next := after(time + 1e-6);
    count := pre(count) + 1;
  end when;
  if x > 0.7 then
    y := after(2.0);
  else
    y := 0;
  end if;
equation
  der(x) = 1;
  der(area) = y;
  annotation(experiment(StopTime = 1.1, Tolerance = 1e-8));
end M;
