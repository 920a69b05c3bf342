// What `reinit` sets becomes a state, whatever constraints could compute it from.
model M
  // The second of two that move together, without a wish to be a state.
  Real v1(start = 0, fixed = true), v2, f;
  // Both of two that move together, at different events.
  Real w1(start = 0, fixed = true), w2, g;
  // Positions are differentiated twice; both speeds are set at once, to what agrees.
  Real x1(start = 0, fixed = true), x2, u1(start = 1, fixed = true), u2, h;
equation
  der(v1) = f + 1;
  der(v2) = -f;
  v2 = 2*v1;
  when time > 0.5 then
    reinit(v2, 3);
  end when;
  der(w1) = g + 1;
  der(w2) = -g;
  w2 = 2*w1;
  when time > 0.25 then
    reinit(w1, 1);
  end when;
  when time > 0.75 then
    reinit(w2, 4);
  end when;
  der(x1) = u1;
  der(x2) = u2;
  der(u1) = h;
  der(u2) = -h;
  x2 = x1 + 1;
  when time > 0.5 then
    reinit(u1, -1);
    reinit(u2, -1);
  end when;
end M;
