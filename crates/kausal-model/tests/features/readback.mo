// What a flat model says in a form that can be read back: elements of constant tables, what simplification leaves of
// conversions and branches, values before an event, names that look alike, calls that were not inlined.
package Tables
  constant Real factors[3] = {4, 5, 6};
  constant Integer steps[2, 3] = {{1, 2, 3}, {4, 5, 6}};
  constant Boolean known[3] = {true, false, true};
  constant String names[3] = {"a", "b", "c"};
  function scaled
    input Integer k;
    input Real u;
    output Real y;
  protected
    Real all[:] = {u, 2*u, 3*u, 4*u};
  algorithm
    y := factors[k] + sum(steps[:, k]) + sum(steps[k - 1, 1:2]) + (u + (-0.0))*(-0.0);
    y := y + sum(sqrt(all[k:end]));
    if true then
      y := y + 1;
    else
      y := 0;
    end if;
    if known[k] and names[k] == "c" then
      y := 2*y;
    end if;
    assert(known[k] or k > 1, names[k]);
  end scaled;
  function small
    input Real u;
    output Real y;
  algorithm
    y := 2*u;
    assert(u > -100, "too small");
    annotation(Inline = true);
  end small;
end Tables;
model Part
  Real x = time;
end Part;
model Readback
  Part a[2];
  Real 'a[1].x' = 3 + time "not the x of a[1]";
  parameter Real p = 2.5;
  parameter Integer n = min(integer(ceil(p)) + 1, 7);
  Real b(unbounded = true) = Tables.scaled(integer(2 + sin(time)), time) + 'a[1].x';
  Real c = Tables.small(time);
  discrete Real before(start = 0, fixed = true);
  Integer count(start = 0, fixed = true);
algorithm
  assert(sin(1) < 2, "always true: nothing is left of it");
algorithm
  when sample(0, 0.5) then
    before := pre(c);
    if change(b) then
      count := pre(count) + n;
    end if;
  end when;
end Readback;
