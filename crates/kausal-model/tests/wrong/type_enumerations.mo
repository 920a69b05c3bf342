// expect: K0317
model M "two different enumerations"
  type Colour = enumeration(red, green);
  type Light = enumeration(red, amber, green);
  parameter Colour c = Light.red;
end M;
