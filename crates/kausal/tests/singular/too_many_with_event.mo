// expect: K0240 K0401
// Three equations for two unknowns beside a counter.
model M
  Real x, v;
  discrete Real n(start = 0, fixed = true);
equation
  when sample(0, 0.1) then
    n = pre(n) + 1;
  end when;
  x = n*time;
  x = 3*v;
  der(v) + x = 1;
end M;
