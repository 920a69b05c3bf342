within Kausal.Examples;
model BouncingBall "A ball bounces until it lies still"
  extends Icons.Example;
  parameter Units.Length h0 = 1 "Initial height";
  parameter Real e(min = 0, max = 1) = 0.8 "Coefficient of restitution";
  parameter Units.Velocity v_min = 1e-3 "A ball that would leave the ground more slowly stays there";
  Units.Length h(start = h0, fixed = true) "Height above the ground";
  Units.Velocity v(start = 0, fixed = true) "Velocity";
  Boolean flying(start = true, fixed = true) "Has the ball not come to rest?";
  Integer bounces(start = 0, fixed = true) "How often the ball has touched the ground";
equation
  der(h) = v;
  der(v) = if flying then -Constants.g else 0;
  when h < 0 then
    flying = -e*pre(v) > v_min;
    bounces = pre(bounces) + 1;
    reinit(v, if flying then -e*pre(v) else 0);
  end when;
  annotation(
    experiment(StartTime = 0, StopTime = 5, Tolerance = 1e-6),
    Documentation(info = "<html>
<p>The ball first touches the ground at <code>t = sqrt(2*h0/g)</code>, and each flight lasts <code>e</code> times as
long as the one before: the bounces pile up at the time <code>sqrt(2*h0/g)*(1 + e)/(1 - e)</code>, about 4.06 s
here.</p>
</html>"));
end BouncingBall;
