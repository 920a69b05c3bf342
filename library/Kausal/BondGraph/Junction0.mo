within Kausal.BondGraph;
model Junction0 "Junction of equal efforts"
  extends Interfaces.Junction;
  Real e "The common effort";
  Real f[n] "Flows in the direction of the half arrows";
equation
  for i in 1:n loop
    p[i].e = e;
    f[i] = direction[i]*p[i].f;
  end for;
  0 = sum(p[i].f for i in 1:n);
  annotation(
    Icon(graphics = {
      Text(extent = {{-60, 80}, {60, -80}}, textString = "0", textColor = {110, 0, 130})}),
    Documentation(info = "<html>
<p>All bonds have the same effort, and the flows sum to zero, counted in the direction of the half arrows: a parallel
connection.</p>
</html>"));
end Junction0;
