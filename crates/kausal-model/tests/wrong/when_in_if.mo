// expect: K0366
model M "when in an if equation whose condition changes"
  discrete Real x(start = 0, fixed = true);
equation
  if time > 1 then
    when time > 2 then
      x = 1;
    end when;
  end if;
end M;
