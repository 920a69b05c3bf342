// 12.3, 4.4.4: structural parameters and functions evaluated while flattening; Evaluate and final.
function fibonacci
  input Integer n;
  output Integer y;
algorithm
  y := if n < 2 then n else fibonacci(n - 1) + fibonacci(n - 2);
end fibonacci;
function primes
  input Integer n;
  output Integer list[n];
protected
  Integer k = 2;
  Integer found = 0;
  Boolean prime;
algorithm
  while found < n loop
    prime := true;
    for i in 1:found loop
      if mod(k, list[i]) == 0 then
        prime := false;
        break;
      end if;
    end for;
    if prime then
      found := found + 1;
      list[found] := k;
    end if;
    k := k + 1;
  end while;
end primes;
function split
  input String s;
  output Integer n;
  output String t;
algorithm
  n := if s == "long" then 3 else 1;
  t := s + "-" + String(n);
end split;
model Evaluation
  parameter Integer n = fibonacci(4);
  constant Integer p[:] = primes(n);
  parameter String s = "long";
  parameter Integer m = split(s);
  parameter Integer order = 2 annotation(Evaluate = true);
  final parameter Real k = 7;
  Real x[n];
  Real y[m] = x[1:m];
  Real z;
equation
  for i in 1:n loop
    x[i] = p[i]*time;
  end for;
  if order == 2 then
    der(z) = -k*z;
  else
    z = 0;
  end if;
end Evaluation;
