// Elseif spelling.
// expect: K0118
// line: 8
// words: `elseif`
model M
  Real x;
equation
  x = if time < 1 then 1 else if time < 2 then 2 elif time < 3 then 3 else 4;
end M;
