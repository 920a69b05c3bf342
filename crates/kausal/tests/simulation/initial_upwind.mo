// Flows that carry heat along, from rest: at zero flow relations say this direction here and that one there, and equations
// with both contradict each other. Twelve relations have 4096 combinations.
model M
  constant Integer n = 11;
  parameter Real q = 0.1;
  Real p[n + 2], m[n + 1], h[n], H[n + 1];
  Real off = h[n] - 1 - n*q/m[1];
equation
  p[1] = 2;
  p[n + 2] = 1;
  for i in 1:n + 1 loop
    m[i] = (p[i] - p[i + 1])*(1 + 0.01*(if i <= n then h[min(i, n)] else 0));
  end for;
  H[1] = if m[1] > 0 then m[1] else m[1]*h[1];
  for i in 2:n loop
    if mod(i, 2) == 0 then
      H[i] = if m[i] <= 0 then m[i]*h[i] else m[i]*h[i - 1];
    else
      H[i] = if m[i] > 0 then m[i]*h[i - 1] else m[i]*h[i];
    end if;
  end for;
  H[n + 1] = if m[n + 1] <= 0 then 0 else m[n + 1]*h[n];
  for i in 1:n loop
    m[i] = m[i + 1];
    H[i] - H[i + 1] + q = 0;
  end for;
end M;
