// 10.5: subscripts that are known only at run time, and vectors of them.
model ArraySubscripts
  Real x[3] = {1, 2, 3}*time;
  Real m[2, 3] = {x, 2*x};
  Integer i(start = 1, fixed = true);
  Integer order[2] = {i, 3};
  Real a = x[i];
  Real b[2] = x[order];
  Real c[2, 2] = m[:, order];
  Real d[2] = m[i, order];
equation
  when sample(1, 1) then
    i = if pre(i) == 1 then 2 else 1;
  end when;
end ArraySubscripts;
