// 12.3: where impure functions can be called.
impure function measure
  input Real t;
  output Real y;
  external "C" y = measure(t);
end measure;
impure function twice
  input Real t;
  output Real y;
algorithm
  y := 2*measure(t);
end twice;
function wrapped
  input Real t;
  output Real y;
algorithm
  y := pure(measure(t));
end wrapped;
model FunctionsImpure
  parameter Real first = measure(0);
  Real x = pure(measure(time));
  Real w = wrapped(time);
  discrete Real y, z;
  Real s(start = 0);
initial equation
  s = twice(1);
equation
  der(s) = -s;
  when sample(0, 1) then
    y = measure(time);
  end when;
algorithm
  when s < 0.5 then
    z := twice(time);
  end when;
end FunctionsImpure;
