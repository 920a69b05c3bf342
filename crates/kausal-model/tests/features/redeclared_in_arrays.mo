// Redeclarations among the modifiers of an array of components: a value for each element, or one with `each`.
record Cable
  parameter Real r = 1;
end Cable;
record Thick
  extends Cable(r = 0.1);
  parameter Real t = 2;
end Thick;
model Line
  replaceable parameter Cable cable;
  replaceable parameter Real length = 1;
  Real u = cable.r*length*time;
end Line;
model RedeclaredInArrays
  parameter Thick cables[2] = {Thick(r = 3), Thick(t = 4)};
  Line lines[2](redeclare Thick cable = cables, redeclare parameter Real length = {5, 6});
  Line same[2](each redeclare Thick cable = cables[1]);
end RedeclaredInArrays;
