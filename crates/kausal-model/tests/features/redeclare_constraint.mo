// 7.3.2: what constraining clauses say holds for redeclarations of redeclarations.
partial model Any
  Real y;
end Any;
partial model Gain
  extends Any;
  parameter Real k;
end Gain;
model Ramp
  extends Gain;
  parameter Real l = 1;
equation
  y = l*k*time;
end Ramp;
model Steep
  extends Ramp(l = 7);
end Steep;
partial model First
  replaceable Any part;
end First;
partial model Second
  extends First(redeclare replaceable Gain part constrainedby Gain(final k = m));
  parameter Real m = 2;
end Second;
partial model Third
  extends Second(redeclare replaceable Ramp part(l = 3));
end Third;
model Classes
  replaceable model Inside = Any;
  Inside inside;
end Classes;
model OfClasses
  extends Classes(redeclare replaceable model Inside = Ramp constrainedby Gain(k = 5));
end OfClasses;
model RedeclareConstraint
  Third3 a;
  Classes3 b;
  model Third3
    extends Third(redeclare Steep part);
  end Third3;
  model Classes3
    extends OfClasses(redeclare model Inside = Steep);
  end Classes3;
end RedeclareConstraint;
