// If without else.
// expect: K0365
// line: 8
// words: add `else`
model M
  Real x;
equation
  if time > 1 then
    x = 1;
  end if;
end M;
