// expect: K0339
model M "thirty million assertions"
  Real y = time;
equation
  for i in 1:30000000 loop
    assert(y < i + 10, "too large");
  end for;
end M;
