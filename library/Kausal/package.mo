within ;
package Kausal "Kausal library: components for electrical, mechanical, thermal and control systems"
  annotation(
    version = "0.1.0",
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-50, 70}, {-50, -70}}, thickness = 1),
      Line(points = {{50, 70}, {-50, 0}, {50, -70}}, thickness = 1)}),
    Documentation(info = "<html>
<p>The library that comes with Kausal. It has one package for each domain, all built in the same way: a connector,
partial models with what the components of the domain have in common, the components, sources and sensors.
<code>Examples</code> has a runnable model, or several, for each of them.</p>
<table>
<tr><th>Package</th><th>What it is for</th></tr>
<tr><td>Units, Constants</td><td>the physical types and constants used everywhere else</td></tr>
<tr><td>Icons</td><td>pictures to extend</td></tr>
<tr><td>Blocks</td><td>signals: sources, transfer functions, mathematics, limiters, logic, sampled systems</td></tr>
<tr><td>Electrical</td><td>circuits, ideal switching elements, electromechanical coupling</td></tr>
<tr><td>Rotational, Translational</td><td>drive trains and linear motion, with clutches, brakes and stops</td></tr>
<tr><td>Friction</td><td>sticking and sliding, for the mechanical packages</td></tr>
<tr><td>Thermal</td><td>lumped heat flow</td></tr>
<tr><td>BondGraph</td><td>bond graphs, with residual sinks</td></tr>
<tr><td>MultiBody</td><td>rigid bodies in three dimensions and in the plane</td></tr>
<tr><td>Examples</td><td>models to run</td></tr>
</table>
<p>Some equations contain the hint operators <code>residue(x)</code> (its value is 0) and <code>relax(x)</code> (its
value is x). They tell the translator how a system of equations that may arise from the connected components is best
solved. They never change a solution, and users of the components need not know them.</p>
</html>"));
end Kausal;
