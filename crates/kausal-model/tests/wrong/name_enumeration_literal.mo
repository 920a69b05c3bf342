// expect: K0206
model M "an enumeration without that literal"
  type Colour = enumeration(red, green, blue);
  parameter Colour c = Colour.gren;
end M;
