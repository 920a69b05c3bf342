within Kausal.BondGraph;
model rSf "Residual flow sink: a flow such that the effort vanishes"
  extends Interfaces.OnePort;
equation
  e = time*residue(f);
  annotation(
    Icon(graphics = {
      Text(extent = {{-35, 60}, {90, -60}}, textString = "rSf", textColor = {110, 0, 130})}),
    Documentation(info = "<html>
<p>Has no effect on the system. Attached to the 1-junction of a dependent capacitance it makes the flow a tearing
variable. It must not be attached to a 0-junction, whose effort would vanish. The factor <code>time</code> is there because the equation of the junction, to which the effort
contributes, is differentiated: of <code>time*residue(f)</code> the term <code>residue(f)</code> remains.</p>
</html>"));
end rSf;
