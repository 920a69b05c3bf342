// Strings and integers as variables, large integers, relations of every kind.
model DiscreteStrings
  parameter Integer big = 123456789;
  constant Real tiny = 1e-12;
  parameter String names[2] = {"a", "b" + "c"};
  Integer n(start = 20000000, fixed = true);
  Boolean r[6] = {n < 3, n <= 3, n > 3, n >= 3, n == 3, n <> 3};
  String text = if r[1] then names[1] else names[2];
equation
  when time >= tiny + 1 then
    n = pre(n) + big;
  end when;
end DiscreteStrings;
