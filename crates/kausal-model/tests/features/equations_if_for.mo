// 8.3: for equations, if equations with parameters and with variables.
model EquationsIfFor
  parameter Boolean closed = true;
  Real x[3];
  Real a;
  Real b;
  Real c;
equation
  for i in 1:3 loop
    x[i] = sum(j*time for j in 1:i);
  end for;
  if closed then
    a = 1;
  else
    a = 2;
    b = 3;
  end if;
  if time < 1 then
    b = 1;
    c = a;
  elseif time < 2 then
    c = 2*a;
    b + c = 7;
  else
    b = 3;
    c = 3*a;
  end if;
end EquationsIfFor;
