// Functions that call themselves.
function gcd
  input Integer a;
  input Integer b;
  output Integer g;
algorithm
  g := if b == 0 then a else gcd(b, mod(a, b));
end gcd;
function ackermann
  input Integer m;
  input Integer n;
  output Integer a;
algorithm
  if m == 0 then
    a := n + 1;
  elseif n == 0 then
    a := ackermann(m - 1, 1);
  else
    a := ackermann(m - 1, ackermann(m, n - 1));
  end if;
end ackermann;
model M
  Integer g = gcd(1071 + 147*integer(time), 462);
  Integer a = ackermann(2, 3 + integer(time));
  annotation(experiment(StopTime = 1.5));
end M;
