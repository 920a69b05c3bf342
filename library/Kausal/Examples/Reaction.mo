within Kausal.Examples;
model Reaction "Chemical reaction of three substances, fast and slow"
  extends Icons.Example;
  parameter Real k1 = 0.04 "Rate of A to B";
  parameter Real k2 = 1e4 "Rate of B and C to A and C";
  parameter Real k3 = 3e7 "Rate of B and B to B and C";
  Real A(start = 1, fixed = true) "Concentration of A";
  Real B(start = 0, fixed = true) "Concentration of B";
  Real C "Concentration of C";
equation
  der(A) = -k1*A + k2*B*C;
  der(B) = k1*A - k2*B*C - k3*B*B;
  A + B + C = 1 "Nothing is lost";
  annotation(
    experiment(StartTime = 0, StopTime = 1e5, Tolerance = 1e-8),
    Documentation(info = "<html>
<p>The reaction of Robertson, a well-known stiff problem: the rates differ by nine powers of ten.</p>
</html>"));
end Reaction;
