within Kausal;
package Electrical "Electrical circuits"
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{-50, -20}, {50, 20}},
        lineColor = {0, 0, 190}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-90, 0}, {-50, 0}}, color = {0, 0, 190}),
      Line(points = {{50, 0}, {90, 0}}, color = {0, 0, 190})}),
    Documentation(info = "<html>
<p>Analogue circuits. Components meet in <code>Pin</code>s: where pins are connected the potentials are equal and the
currents, counted positive into the components, add up to zero. A circuit needs at least one <code>Ground</code>,
because otherwise only voltages, but no potentials are defined.</p>
<p>Resistors, conductors and capacitors are voltage controlled: their currents follow from the potentials. The
potentials in their equations are marked with <code>relax</code>, which leads the translator to modified nodal
analysis: in a system of equations the currents are eliminated first and the potentials are what remains to be solved
for.</p>
<p>The package <code>Cuts</code> has components without any electrical effect that show the translator where a system
of equations is best torn apart.</p>
</html>"));
end Electrical;
