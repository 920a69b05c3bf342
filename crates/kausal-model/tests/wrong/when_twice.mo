// expect: K0357
model M "two when clauses assign one variable"
  discrete Real x(start = 0, fixed = true);
equation
  when time > 1 then
    x = 1;
  end when;
  when time > 2 then
    x = 2;
  end when;
end M;
