// expect: K0391
model M "a loop with when in it has all its passes"
  Integer n[3](each start = 0, each fixed = true);
algorithm
  for i in 1:3 loop
    when time > i then
      n[i] := i;
    end when;
    if time > 5 then
      break;
    end if;
  end for;
end M;
