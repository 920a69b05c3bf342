within Kausal.BondGraph;
model rSe "Residual effort sink: an effort such that the flow vanishes"
  extends Interfaces.OnePort;
equation
  f = time*residue(e);
  annotation(
    Icon(graphics = {
      Text(extent = {{-35, 60}, {90, -60}}, textString = "rSe", textColor = {110, 0, 130})}),
    Documentation(info = "<html>
<p>Has no effect on the system. Attached to the 0-junction of a dependent inertance it makes the effort a tearing
variable; see <code>rSf</code>. It must not be attached to a 1-junction, whose flow would vanish.</p>
</html>"));
end rSe;
