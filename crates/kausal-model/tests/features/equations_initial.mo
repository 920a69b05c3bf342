// 8.6: initial equations and initial algorithms.
model EquationsInitial
  Real x;
  Real y(start = 2);
  Real z;
  parameter Real p(fixed = false);
initial equation
  der(x) = 0;
  if true then
    y = 3;
  end if;
  assert(x < 100, "x");
initial algorithm
  z := 1;
  for i in 1:3 loop
    z := z + i;
  end for;
  p := 2*z;
equation
  der(x) = -x + 1;
  der(y) = -y;
  der(z) = -p*z;
end EquationsInitial;
