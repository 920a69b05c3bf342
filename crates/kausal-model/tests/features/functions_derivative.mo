// 12.7.2: partial derivatives of functions.
function area
  input Real r;
  input Real h;
  output Real a;
algorithm
  a := 2*r^2 + r*sin(h);
end area;
function area_r = der(area, r);
function area_rh = der(area, r, h);
model FunctionsDerivative
  Real a = area_r(time, 2);
  Real b = area_rh(2, time);
end FunctionsDerivative;
