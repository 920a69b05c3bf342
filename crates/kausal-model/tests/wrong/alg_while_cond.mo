// expect: K0342
model M
  Real x;
algorithm
  x := 1;
  while x loop
    x := 2;
  end while;
end M;
