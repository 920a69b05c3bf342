// Records in and out of a function, and complex arithmetic by hand.
record Complex
  Real re;
  Real im;
end Complex;
function times
  input Complex a;
  input Complex b;
  output Complex c;
algorithm
  c := Complex(a.re*b.re - a.im*b.im, a.re*b.im + a.im*b.re);
end times;
model M
  Complex z(re(start = 1, fixed = true), im(start = 0, fixed = true));
  Complex square = times(z, z);
  Complex rate = times(Complex(0, 2), z);
equation
  der(z.re) = rate.re;
  der(z.im) = rate.im;
  annotation(experiment(StopTime = 3, Tolerance = 1e-9));
end M;
