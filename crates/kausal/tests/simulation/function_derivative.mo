// A constraint through a function that brings its derivative (index 2).
function ramp
  input Real t;
  output Real y;
algorithm
  y := 0.5*t*t;
  annotation(derivative = rampDer, Inline = false);
end ramp;
function rampDer
  input Real t;
  input Real dt;
  output Real dy;
algorithm
  dy := t*dt;
end rampDer;
model M
  Real x, v;
equation
  x = ramp(time);
  v = der(x);
  annotation(experiment(StopTime = 2, Tolerance = 1e-8));
end M;
