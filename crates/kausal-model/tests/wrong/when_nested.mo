// expect: K0369
model M "when in when"
  discrete Real x(start = 0, fixed = true);
equation
  when time > 1 then
    when time > 2 then
      x = 1;
    end when;
  end when;
end M;
