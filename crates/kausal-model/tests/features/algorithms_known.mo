// 11: algorithm sections that depend on nothing that varies are known; their flat form reads back to itself.
model AlgorithmsKnown
  Real x[3], s;
  Integer n;
  Real y[2](start = {7, 8});
algorithm
  for i in 1:10 loop
    if i > 3 then
      break;
    end if;
    x[i] := i^2;
  end for;
algorithm
  n := 0;
  while n < 5 loop
    n := n + 2;
  end while;
  s := n/4;
algorithm
  y[1] := 3;
end AlgorithmsKnown;
