// expect: K0369
model M
  Real x;
algorithm
  when time > 1 then
    x := 1;
    when time > 2 then
      x := 2;
    end when;
  end when;
end M;
