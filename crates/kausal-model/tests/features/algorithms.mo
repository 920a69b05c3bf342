// 11: an algorithm section is one equation with several outputs.
model Algorithms
  Real u = sin(time);
  Real y;
  Real z[2];
  Integer n(start = 0, fixed = true);
  Real kept(start = 3);
  Real single;
algorithm
  y := 0;
  for i in 1:3 loop
    if u > 0.1*i then
      y := y + u^i;
    elseif u < -0.5 then
      y := y - 1;
    else
      y := y;
    end if;
  end for;
  z[1] := y;
  z[2] := 2*z[1];
algorithm
  when u > 0.5 then
    n := pre(n) + 1;
  elsewhen u < -0.5 then
    n := pre(n) - 1;
  end when;
algorithm
  if u > 0 then
    kept := u;
  end if;
  assert(u < 2, "too large");
algorithm
  (single) := sin(u);
end Algorithms;
