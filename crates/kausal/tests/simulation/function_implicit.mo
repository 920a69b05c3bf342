// Bisection inside a function, called all the time.
function cubeRoot
  input Real y;
  output Real x;
protected
  Real low, high;
algorithm
  low := 0;
  high := max(1, y);
  for i in 1:60 loop
    x := (low + high)/2;
    if x^3 > y then
      high := x;
    else
      low := x;
    end if;
  end for;
end cubeRoot;
model M
  Real x = cubeRoot(1 + 7*time);
end M;
