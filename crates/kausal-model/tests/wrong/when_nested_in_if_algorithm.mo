// expect: K0369
model M
  Real x;
algorithm
  if time > 0 then
    when time > 2 then
      x := 2;
    end when;
  end if;
end M;
