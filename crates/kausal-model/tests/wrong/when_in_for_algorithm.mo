// expect: K0369
model M
  Real x;
algorithm
  while x < 3 loop
    when time > 2 then
      x := 2;
    end when;
  end while;
end M;
