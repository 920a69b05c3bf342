// 5.3.1: names may be inherited, also constants and functions through packages and components.
partial package Medium
  constant Real cp = 1000;
  constant Real h0 = 10;
  replaceable partial function density
    input Real T;
    output Real d;
  end density;
end Medium;
package Water
  extends Medium(cp = 4200);
  redeclare function extends density
  algorithm
    d := h0 - 0.1*T;
  end density;
end Water;
model Volume
  package M = Water;
  Real T(start = 300, fixed = true);
  Real d = M.density(T);
equation
  M.cp*der(T) = -T;
end Volume;
model Inherited
  Volume v;
  Real d2 = v.M.density(2*v.T);
end Inherited;
