model M
equation
  while x > 0 loop
    y = 1;
  end while;
  return;
  break;
algorithm
  connect(a, b);
  der(x) := 1;
  return x;
end M;
