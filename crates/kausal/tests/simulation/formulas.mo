// The built-in functions against each other.
model M
  Real x = 0.1 + time;
  Real a = sin(x)^2 + cos(x)^2;
  Real b = tan(x) - sin(x)/cos(x);
  Real c = asin(sin(x)) - x, d = acos(cos(x)) - x, e = atan(tan(x)) - x;
  Real f = atan2(sin(x), cos(x)) - x;
  Real g = cosh(x)^2 - sinh(x)^2, h = tanh(x) - sinh(x)/cosh(x);
  Real i = log(exp(x)) - x, j = log10(10^x) - x, k = exp(2*log(x)) - x*x, l = sqrt(x*x) - x;
end M;
