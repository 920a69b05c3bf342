// A traffic light as an enumeration.
type Light = enumeration(red, green, yellow);
model M
  Light light(start = Light.red, fixed = true);
  Real greens(start = 0, fixed = true);
  Integer number;
equation
  when sample(1, 1) then
    light = if pre(light) == Light.red then Light.green elseif pre(light) == Light.green then Light.yellow else Light.red;
  end when;
  der(greens) = if light == Light.green then 1 else 0;
  number = Integer(light);
  annotation(experiment(StopTime = 10.5, Tolerance = 1e-8));
end M;
