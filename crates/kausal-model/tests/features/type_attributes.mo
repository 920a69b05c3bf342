// 4.9: all attributes of the predefined types.
type Temperature = Real(quantity = "Temperature", unit = "K", displayUnit = "degC", min = 0, start = 293.15, nominal = 300);
model TypeAttributes
  parameter Real low = 10;
  Temperature T(max = 2*low + 1000, fixed = true, stateSelect = StateSelect.always) "temperature of the oven";
  Real aux(stateSelect = StateSelect.avoid, unbounded = true);
  parameter Integer n(min = 1, max = 10) = 3;
  Integer count(start = n, fixed = true);
  Boolean on(start = true, fixed = true);
  parameter String label(start = "none") = "oven \"A\"";
  parameter Real free(start = 4, fixed = false);
initial equation
  free = 2*T;
equation
  der(T) = -0.1*T + free;
  aux = T^2;
  when T < 300 then
    on = not pre(on);
    count = pre(count) + 1;
  end when;
end TypeAttributes;
