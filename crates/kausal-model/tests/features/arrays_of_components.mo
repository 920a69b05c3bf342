// 10.1: arrays of components, their sizes from parameters, slices over them.
model Mass
  parameter Real m = 1;
  Real x(start = 0, fixed = true);
  Real f;
equation
  m*der(x) = f;
end Mass;
model Row
  parameter Integer k = 2;
  Mass mass[k](m = 1:k);
end Row;
model ArraysOfComponents
  parameter Integer n = 2;
  Row row[n](each k = 3);
  Real total = sum(row.mass.x);
  Real firsts[n] = row.mass[1].x;
equation
  for i in 1:n loop
    for j in 1:row[i].k loop
      row[i].mass[j].f = i + 10*j - row[i].mass[j].x;
    end for;
  end for;
end ArraysOfComponents;
