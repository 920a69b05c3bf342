// expect: K0301
model M "the array has a million million elements in the end"
  function f
    output Integer n;
  protected
    Real a[:] = {1.0};
  algorithm
    for i in 1:40 loop
      a := cat(1, a, a);
    end for;
    n := size(a, 1);
  end f;
  Real x[f()];
equation
  x = fill(time, size(x, 1));
end M;
