// 3.8.4: what algorithm sections assign to discrete values changes at events: relations cause them, and `when` is one.
model AlgorithmDiscrete
  function whole
    input Real x;
    input Integer n;
    output Integer k;
    output Real y[2];
  algorithm
    k := 2*n;
    y := {x, k};
  end whole;
  Real x = 3*time;
  Real y[2];
  Boolean up;
  Integer steps;
  Integer doubled;
  Integer sampled(start = 0, fixed = true);
algorithm
  up := x > 1;
  steps := integer(10*x);
  for i in 1:5 loop
    if x > i then
      steps := steps + i;
    end if;
  end for;
  // The first result depends on the second argument only.
  (doubled, y) := whole(x, steps);
  when sample(0.1, 0.2) then
    sampled := whole(x, integer(x)) + 1;
  end when;
end AlgorithmDiscrete;
