// expect: K0240 K0402
// A variable whose past an event reads and that nothing determines.
model M
  discrete Real a(start = 0, fixed = true);
  Real b(start = 0);
equation
  when sample(0, 1) then
    a = pre(b) + 1;
  end when;
end M;
