package Functions
  partial function Integrand
    input Real u;
    output Real y;
  end Integrand;

  function quadrature "Simpson's rule"
    input Real a, b;
    input Integrand f;
    input Integer n = 100;
    output Real integral = 0;
  protected
    Real h = (b - a)/n;
    Real x;
  algorithm
    assert(mod(n, 2) == 0, "n must be even");
    for i in 0:2:n - 2 loop
      x := a + i*h;
      integral := integral + h/3*(f(x) + 4*f(x + h) + f(x + 2*h));
    end for;
    annotation (Inline = false, smoothOrder = 2);
  end quadrature;

  function wave
    extends Integrand;
    input Real A, w;
  algorithm
    y := A*sin(w*u);
    annotation (derivative = wave_der);
  end wave;

  function wave_u = der(wave, u) "Partial derivative";

  function bisect
    input Real low, high, tolerance = 1e-9;
    input Integrand f;
    output Real zero;
    output Integer steps;
    output Boolean found;
  protected
    Real l := low, r := high, m;
  algorithm
    steps := 0;
    found := false;
    if f(l)*f(r) > 0 then
      zero := 0;
      return;
    end if;
    while true loop
      m := (l + r)/2;
      steps := steps + 1;
      if abs(r - l) < tolerance then
        found := true;
        break;
      elseif f(l)*f(m) <= 0 then
        r := m;
      else
        l := m;
      end if;
    end while;
    zero := m;
  end bisect;

  pure function cube
    input Real x;
    output Real y;
    external "C" y = pow(x, 3.0) annotation (Include = "#include <math.h>", Library = {"m"});
  end cube;

  impure function random
    output Real r;
    external "C" r = rand_();
  end random;

  function builtin
    input Real x[:];
    output Real y;
    external "builtin";
  end builtin;

  model Use
    Real area = quadrature(0, 1, function wave(A = 2, w = time), n = 10);
    Real z;
    Integer n;
    Boolean ok;
  equation
    (z, n, ok) = bisect(0, 4, f = function wave(A = 1, w = 1));
  algorithm
    (, n) := bisect(low = 1, high = 2, f = function wave(A = 1, w = 1));
  end Use;
end Functions;
