model M
  Real x;
equation
  x := 3*time;
  der(y) = x;
end M;
