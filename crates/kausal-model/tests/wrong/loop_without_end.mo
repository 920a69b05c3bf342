// expect: K0301
model M
  function wait
    input Integer n;
    output Integer k = 0;
  algorithm
    while k < n loop
      k := if k > 10 then 0 else k + 1;
    end while;
  end wait;
  Real x[wait(20)];
equation
  x = fill(time, size(x, 1));
end M;
