// A string that nothing has given a value is empty, and an enumeration is at its first value.
model M
  type Colour = enumeration(red, green, blue);
  String a, b(start = "there");
  parameter String p;
  Colour c;
  Real before = (if a == "" then 1 else 0) + (if b == "there" then 10 else 0) + (if p == "" then 100 else 0)
    + (if c == Colour.red then 1000 else 0);
  discrete Real first(start = -1, fixed = true);
equation
  when time > 0.5 then
    a = "later";
    b = "later";
    c = Colour.blue;
  end when;
  when time > 0.25 then
    first = before;
  end when;
  annotation(experiment(StopTime = 1, Tolerance = 1e-6));
end M;
