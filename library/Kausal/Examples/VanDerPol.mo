within Kausal.Examples;
model VanDerPol "The oscillator of van der Pol"
  extends Icons.Example;
  parameter Real mu = 1000 "How stiff the oscillator is";
  Real x(start = 2, fixed = true) "Amplitude";
  Real y(start = 0, fixed = true) "Its derivative";
equation
  der(x) = y;
  der(y) = mu*(1 - x*x)*y - x;
  annotation(
    experiment(StartTime = 0, StopTime = 3000, Tolerance = 1e-6),
    Documentation(info = "<html>
<p>For large <code>mu</code> the solution creeps for a long time and then jumps. The period is close to <code>(3 -
2*log(2))*mu</code>.</p>
</html>"));
end VanDerPol;
