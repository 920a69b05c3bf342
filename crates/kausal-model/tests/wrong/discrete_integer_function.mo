// expect: K0324
model M
  function f
    input Real x;
    output Integer i;
  algorithm
    i := if x > 0.5 then 1 else 2;
  end f;
  Integer i = f(time);
end M;
