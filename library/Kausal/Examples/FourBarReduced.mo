within Kausal.Examples;
model FourBarReduced "The same mechanism, with the derivatives left to the translator"
  extends FourBar(
    j2(allLevels = false),
    j4(state = true, stateSelect = StateSelect.default),
    j3(state = true));
  annotation(
    experiment(StartTime = 0, StopTime = 5, Tolerance = 1e-6),
    Documentation(info = "<html>
<p>Only the positions are constrained. The translator differentiates the constraints twice and chooses the states
itself.</p>
</html>"));
end FourBarReduced;
