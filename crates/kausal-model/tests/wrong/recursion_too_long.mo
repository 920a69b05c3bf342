// expect: K0301 K0301
model M
  function fib
    input Integer n;
    output Integer f;
  algorithm
    f := if n < 2 then n else fib(n - 1) + fib(n - 2);
  end fib;
  parameter Integer n = fib(60);
  Real x[n];
equation
  x = fill(time, n);
end M;
