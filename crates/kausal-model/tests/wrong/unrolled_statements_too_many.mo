// expect: K0339
model M
  discrete Real x[2];
  Real y = time;
algorithm
  for i in 1:2000000 loop
    when y > i then
      x[1] := pre(x[2]);
      x[2] := i;
    end when;
  end for;
end M;
