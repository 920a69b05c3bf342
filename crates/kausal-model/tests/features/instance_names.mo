// 3.7.4.4: getInstanceName in bindings, equations, algorithms, when clauses, arguments and functions.
function described
  input String name;
  input Real x;
  output Real y;
algorithm
  assert(x < 100, name + ": too large, seen in " + getInstanceName());
  y := x + 1;
end described;
model Part
  parameter String name = getInstanceName();
  Real x = described(getInstanceName(), time);
  Real y;
  discrete Real z(start = 0, fixed = true);
initial algorithm
  assert(time < 1, "at the start of " + getInstanceName());
equation
  assert(x < 10, getInstanceName() + ": equation");
  when time > 0.5 then
    z = described(getInstanceName(), pre(z));
  end when;
algorithm
  assert(x < 10, getInstanceName() + ": algorithm");
  y := 2*x;
end Part;
model InstanceNames
  Part a;
  Part b[2];
end InstanceNames;
