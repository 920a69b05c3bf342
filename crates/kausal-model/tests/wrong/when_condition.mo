// expect: K0342
model M "the condition of when"
  discrete Real x(start = 0, fixed = true);
equation
  when time then
    x = 1;
  end when;
end M;
