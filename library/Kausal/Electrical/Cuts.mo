within Kausal.Electrical;
package Cuts "Components that show where to tear a circuit"
  model MeshCut "Makes the current of a branch a tearing variable"
    extends Interfaces.OnePort;
  equation
    v = residue(i);
    annotation(
      Icon(graphics = {
        Line(points = {{-90, 0}, {90, 0}}, color = {0, 0, 190}),
        Line(points = {{-30, -40}, {-10, 40}}, color = {0, 0, 190}),
        Line(points = {{10, -40}, {30, 40}}, color = {0, 0, 190}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>A wire. It corresponds to an infinitely small inductor, <code>v = L*der(i)</code> with <code>L</code> going to
zero: the current is taken as known, and the voltage over the component is the residue that must become zero. Put one
into every mesh of the circuit that does not have an inductor already.</p>
</html>"));
  end MeshCut;

  model NodeCut "Makes the potential of a node a tearing variable"
    Interfaces.Pin p "The node"
      annotation(Placement(transformation(extent = {{-10, 90}, {10, 110}})));
  equation
    p.i = residue(p.v);
    annotation(
      Icon(graphics = {
        Line(points = {{0, 90}, {0, 0}}, color = {0, 0, 190}),
        Line(points = {{-40, -10}, {40, 10}}, color = {0, 0, 190}),
        Line(points = {{-40, -30}, {40, -10}}, color = {0, 0, 190}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Takes no current. It corresponds to an infinitely small capacitor to ground, <code>i = C*der(v)</code> with
<code>C</code> going to zero: the potential is taken as known, and the current into the component is the residue that
must become zero.</p>
</html>"));
  end NodeCut;

  model TearCut "Makes a current the tearing variable of a residue elsewhere"
    extends Interfaces.OnePort;
    Interfaces.Pin res "The node whose balance of currents is the residue"
      annotation(Placement(transformation(extent = {{-10, -110}, {10, -90}})));
  equation
    v = 0;
    res.i = residue(i);
    annotation(
      Icon(graphics = {
        Line(points = {{-90, 0}, {90, 0}}, color = {0, 0, 190}),
        Line(points = {{-30, -40}, {-10, 40}}, color = {0, 0, 190}),
        Line(points = {{10, -40}, {30, 40}}, color = {0, 0, 190}),
        Line(points = {{0, 0}, {0, -90}}, color = {0, 0, 190}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>The path from <code>p</code> to <code>n</code> is a wire whose current is taken as known. It is found such that the
currents add up to zero at the node to which <code>res</code> is connected. For ladder circuits one such component is
enough, however long they are: begin at one end with an assumed current and look at the other end what is left
over.</p>
</html>"));
  end TearCut;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-30, -40}, {-10, 40}}, color = {0, 0, 190}),
      Line(points = {{10, -40}, {30, 40}}, color = {0, 0, 190})}),
    Documentation(info = "<html>
<p>These components have no effect on the circuit. They place tearing variables and residues as described by
Elmqvist and Otter, <i>Methods for tearing systems of equations in object-oriented modeling</i>. Kausal finds good
tearings by itself; the cuts are for those who know better, or want to compare.</p>
</html>"));
end Cuts;
