// 12.7, 12.8, 18.3: annotations of functions are kept.
function f
  input Real x;
  input Real k;
  output Real y;
algorithm
  y := exp(k*x);
  annotation(derivative(zeroDerivative = k) = f_der, inverse(x = f_inv(y, k)), smoothOrder = 2);
end f;
function f_der
  input Real x;
  input Real k;
  input Real x_der;
  output Real y_der;
algorithm
  y_der := k*exp(k*x)*x_der;
  annotation(LateInline = true);
end f_der;
function f_inv
  input Real y;
  input Real k;
  output Real x;
algorithm
  x := log(y)/k;
end f_inv;
function small
  input Real x;
  output Real y = x^2 + 1;
algorithm
  annotation(Inline = true);
end small;
model FunctionsAnnotations
  parameter Real k = 2;
  Real x = time;
  Real y = f(x, k);
  Real z = small(y);
end FunctionsAnnotations;
