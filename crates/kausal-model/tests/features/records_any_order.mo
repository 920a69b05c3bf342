// 12.6: defaults of fields and of inputs use each other in any order, in records in records and arrays of records too.
record Material
  parameter Integer n = integer(2*r + 0.5);
  parameter Real r = 10*x;
  parameter Real x = 0.1;
end Material;
record Layer
  parameter Real total = inside.r + inside.n;
  parameter Material inside(x = thickness);
  parameter Real thickness = 2*part;
  parameter Real part;
end Layer;
function volume
  input Real v = a*b;
  input Real b = 2*a;
  input Real a;
  output Real y = v + b;
end volume;
function thick
  input Real part;
  output Real y;
protected
  Layer layer = Layer(part = part);
algorithm
  y := layer.total + volume(a = part);
end thick;
model RecordsAnyOrder
  parameter Material a = Material(x = 0.2);
  parameter Layer l = Layer(part = 0.3);
  parameter Material list[2] = {Material(x = 0.1), Material(x = 0.4)};
  Real z[a.n] = fill(time, a.n);
  Real w = volume(a = time);
  Real t = thick(time);
end RecordsAnyOrder;
