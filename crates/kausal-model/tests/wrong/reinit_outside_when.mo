// expect: K0368
model M "reinit outside when"
  Real x(start = 1, fixed = true);
equation
  der(x) = -x;
  reinit(x, 1);
end M;
