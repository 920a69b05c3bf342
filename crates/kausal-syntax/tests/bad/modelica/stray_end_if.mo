model M
equation
  x = 1;
  end if;
  y = 2;
algorithm
  z := 1;
  end while;
  u := 1;
end M;
