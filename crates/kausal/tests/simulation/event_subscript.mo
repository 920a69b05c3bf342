// A subscript that is out of bounds where nobody looks at the element is none of the errors.
model M
  Boolean on[3] = {time > 0.6, time > 0.3, time > 0.8};
  Real expr[3] = {1, 2, 3};
  Integer first = if on[1] then 1 elseif on[2] then 2 elseif on[3] then 3 else 0;
  Real y = if first == 0 then 7 else expr[first];
  Real z = if first == 1 then 5 else 6;
  Real s(start = 0, fixed = true);
equation
  der(s) = y + z;
  annotation(experiment(StopTime = 1, Tolerance = 1e-6));
end M;
