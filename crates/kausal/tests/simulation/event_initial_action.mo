// What a clause does at the start without giving a variable a value.
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  when {initial(), x > 0.5} then
    terminate("at once");
  end when;
end M;
