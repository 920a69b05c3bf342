// expect: K0340
model M "an enumeration is not an Integer"
  type Colour = enumeration(red, green);
  parameter Colour c = Colour.red;
  Boolean b = c == 1;
end M;
