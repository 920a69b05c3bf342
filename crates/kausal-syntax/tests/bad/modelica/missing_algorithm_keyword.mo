function f
  input Real x;
  output Real y;
  y := 2*x;
  if y > 1 then
    y := 1;
  end if;
end f;
