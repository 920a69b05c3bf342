// An initial equation may say what a discrete Real variable was before the start.
model M
  Real u = 0.5 + sin(time);
  Real w(start = 2.5);
  discrete Real a, b;
initial equation
  pre(a) = u;
  pre(b) = w;
equation
  der(w) = 1;
  when sample(0.25, 0.5) then
    a = pre(a) + u;
    b = pre(b) + 1;
  end when;
  annotation(experiment(StopTime = 0.5, Tolerance = 1e-6));
end M;
