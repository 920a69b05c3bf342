// Loops with a known end, with a condition, and left early.
function factorial
  input Integer n;
  output Real f;
algorithm
  f := 1;
  for i in 2:n loop
    f := f*i;
  end for;
end factorial;
function collatz
  input Integer start;
  output Integer steps;
protected
  Integer n;
algorithm
  n := start;
  steps := 0;
  while n <> 1 loop
    n := if mod(n, 2) == 0 then div(n, 2) else 3*n + 1;
    steps := steps + 1;
  end while;
end collatz;
function firstDivisor
  input Integer n;
  output Integer d;
algorithm
  d := n;
  for i in 2:n loop
    if mod(n, i) == 0 then
      d := i;
      break;
    end if;
  end for;
end firstDivisor;
model M
  Real f = factorial(integer(time) + 10);
  Integer c = collatz(27), d = firstDivisor(1001);
  annotation(experiment(StopTime = 1.5));
end M;
