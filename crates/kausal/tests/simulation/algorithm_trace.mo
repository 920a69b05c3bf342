// Loops and computed subscripts: what they decide causes events although they stay functions.
model M
  Real x(start = 0, fixed = true), area(start = 0, fixed = true), y, a[3];
  Integer k, n, i, changes(start = 0, fixed = true);
  parameter Real t[5] = {0, 0.2, 0.4, 0.6, 0.8}, v[5] = {1, 2, 4, 8, 16};
algorithm
  k := 1;
  while k < 5 and x >= t[min(k + 1, 5)] loop
    k := k + 1;
  end while;
  y := v[k];
algorithm
  n := 0;
  while n < 10*x - 0.5 loop
    n := n + 1;
  end while;
algorithm
  i := 1 + integer(2.9*time);
  a := zeros(3);
  a[i] := 5;
equation
  der(x) = 1;
  der(area) = y;
  when change(n) then
    changes = pre(changes) + 1;
  end when;
end M;
