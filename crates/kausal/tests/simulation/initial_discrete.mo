// What discrete variables were before the start.
model M
  Integer n;
  Boolean b;
  discrete Real x;
initial equation
  pre(n) = 7;
  pre(b) = true;
  x = 2.5;
equation
  when sample(0.5, 1) then
    n = pre(n) + 1;
    b = not pre(b);
    x = 2*pre(x);
  end when;
  annotation(experiment(StopTime = 2, Tolerance = 1e-6));
end M;
