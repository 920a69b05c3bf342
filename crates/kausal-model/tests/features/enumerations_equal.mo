// 6.4: enumerations with the same literals are one type.
type Colour = enumeration(red, amber, green);
package Lights
  type Light = enumeration(red, amber, green);
  function next
    input Light light;
    output Light y = if light == Colour.green then Light.red else Colour.green;
  end next;
end Lights;
model EnumerationsEqual
  parameter Colour c = Lights.Light.amber;
  Colour d(start = Lights.Light.red, fixed = true);
  Real r = if c == Lights.Light.amber then time else 0;
  Real v[Colour] = {1, 2, 3};
  Real w = v[Lights.Light.green];
equation
  when time > 0.5 then
    d = Lights.next(pre(d));
  end when;
end EnumerationsEqual;
