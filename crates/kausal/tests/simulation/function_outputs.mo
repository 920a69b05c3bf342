// Several results, some of them not wanted.
function roots
  input Real a;
  input Real b;
  input Real c;
  output Real low;
  output Real high;
  output Boolean real;
protected
  Real d;
algorithm
  d := b*b - 4*a*c;
  real := d >= 0;
  if real then
    low := (-b - sqrt(d))/(2*a);
    high := (-b + sqrt(d))/(2*a);
  else
    low := -b/(2*a);
    high := low;
  end if;
end roots;
model M
  Real x1, x2, only;
  Boolean other;
equation
  (x1, x2) = roots(1, -3, 2 + time);
  (only, , other) = roots(1, 2, 5);
end M;
