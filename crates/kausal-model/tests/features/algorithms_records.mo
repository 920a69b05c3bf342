// 11.1: algorithm sections that assign fields of records in arrays, and inputs of components in arrays.
record Point
  Real x;
  Real v[2];
end Point;
record Pair
  Point points[2];
  Integer n;
end Pair;
model Gain
  input Real u;
  parameter Real k = 2;
  output Real y = k*u;
end Gain;
model AlgorithmsRecords
  Point p[2];
  Pair pairs[2];
  Gain gains[2];
  Real z[2], total;
algorithm
  for i in 1:2 loop
    p[i].x := i*time;
    p[i].v := {i, time};
    z[i] := p[i].x + p[i].v[2];
  end for;
  p[2].v[1] := p[1].x;
algorithm
  for i in 1:2, j in 1:2 loop
    pairs[i].points[j] := Point(i*time, {j, j});
    pairs[i].n := i;
  end for;
  total := sum(pairs[i].points[j].x for i in 1:2, j in 1:2);
algorithm
  gains[1].u := time;
  for i in 2:2 loop
    gains[i].u := gains[i - 1].y;
  end for;
end AlgorithmsRecords;
