// expect: K0370
model M "an expression on the left of an equation in when"
  discrete Real x(start = 0, fixed = true);
equation
  when time > 1 then
    2*x = 1;
  end when;
end M;
