within Kausal;
package BondGraph "Bond graphs"
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {110, 0, 130}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-70, 0}, {70, 0}}, color = {110, 0, 130}),
      Line(points = {{70, 0}, {40, 30}}, color = {110, 0, 130})}),
    Documentation(info = "<html>
<p>Bond graphs describe systems of all domains by the flow of power. A bond carries an <i>effort</i> <code>e</code>
and a <i>flow</i> <code>f</code>; their product is a power. Elements are connected by junctions: at a 0-junction all
efforts are equal and the flows add up to zero, at a 1-junction all flows are equal and the efforts add up to
zero.</p>
<p>In each port the flow is counted positive into the component, so that <code>e*f</code> is the power that the
component receives. Elements that store or dissipate (<code>R</code>, <code>C</code>, <code>I</code>) are drawn with
the half arrow towards them, sources with the half arrow away from them; the variable <code>f</code> of a source is
the flow that it delivers. The junctions know the half arrows of their bonds from the parameter
<code>direction</code>.</p>
<p>Where storage elements depend on each other, one equation between their efforts or flows is differentiated and a
system of equations arises. <i>Residual sinks</i> (<code>rSf</code> at a 1-junction with a dependent <code>C</code>,
<code>rSe</code> at a 0-junction with a dependent <code>I</code>) show how it is best torn; see Borutzky and Cellier,
<i>Tearing in bond graphs with dependent storage elements</i>.</p>
</html>"));
end BondGraph;
