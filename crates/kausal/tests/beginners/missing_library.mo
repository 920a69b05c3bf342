// Missing library.
// expect: K0202
// line: 6
// words: Library `Modelika` was not found;set MODELICAPATH or use --library
model M
  Modelika.Electrical.Analog.Basic.Resistor r;
end M;
