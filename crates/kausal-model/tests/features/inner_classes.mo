// 5.4: an outer class is the inner class of that name nearest above: functions, models, packages.
partial function Field
  input Real x;
  output Real y;
end Field;
partial model Load
  Real force;
  input Real x;
end Load;
package Steel
  constant Real E = 210;
end Steel;
package Rubber
  constant Real E = 0.1;
  constant Real damping = 1;
end Rubber;
model Probe
  outer function field = Field;
  outer package Material = Steel;
  outer model Weight = Load;
  Weight weight(x = position);
  parameter Real position = 1;
  Real g = field(position)*Material.E;
end Probe;
model Group
  Probe near(position = 1);
  Probe far(position = 2);
end Group;
model InnerClasses
  constant Real g0 = 9.81;
  inner function field
    extends Field;
  algorithm
    y := 9.81/x^2;
  end field;
  inner package Material = Rubber;
  inner model Weight
    extends Load;
    parameter Real m = 3;
  equation
    force = m*g0*x;
  end Weight;
  Group group;
  model Moon
    inner function field
      extends Field;
    algorithm
      y := 1.62 + 0*x;
    end field;
    Probe probe;
  end Moon;
  Moon moon;
end InnerClasses;
