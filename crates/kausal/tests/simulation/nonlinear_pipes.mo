// Three pipes with square resistance in parallel.
model M
  parameter Real k[3] = {1, 4, 9};
  Real q[3](each start = 1), dp(start = 1), total;
equation
  for i in 1:3 loop
    dp = k[i]*q[i]*abs(q[i]);
  end for;
  total = sum(q);
  total = 11 + time;
end M;
