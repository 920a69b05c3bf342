within Kausal.BondGraph;
model Junction1 "Junction of equal flows"
  extends Interfaces.Junction;
  Real f "The common flow, in the direction of the half arrows";
  Real e[n] "Efforts";
equation
  for i in 1:n loop
    e[i] = p[i].e;
    p[i].f = direction[i]*f;
  end for;
  0 = sum(direction[i]*e[i] for i in 1:n);
  annotation(
    Icon(graphics = {
      Text(extent = {{-60, 80}, {60, -80}}, textString = "1", textColor = {110, 0, 130})}),
    Documentation(info = "<html>
<p>With the default directions the first bond brings the power in and the others take it out: the first effort is the
sum of the others.</p>
</html>"));
end Junction1;
