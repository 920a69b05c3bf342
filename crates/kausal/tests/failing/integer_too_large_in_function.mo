// expect: K0511
// says: too large for an Integer
// recorded: 0.3
// A product of Integers loses its last digits before the remainder is taken; no Integer variable of the model sees it.
function next
  input Integer seed;
  input Integer factor;
  output Integer y;
algorithm
  y := mod(seed*factor, 1000);
  annotation(Inline = false);
end next;
model M
  Integer k(start = 1, fixed = true);
  Real x(start = 0, fixed = true);
equation
  when time > 0.4 then
    k = 2000000000;
  end when;
  der(x) = next(k, 1 + 4000000*k);
end M;
