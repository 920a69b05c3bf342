function f
  input Real x;
  output Real y;
algorithm
  y = 2*x;
  for i in 1:3 loop
    y = y + i;
  end for;
end f;
