within Kausal.Friction;
function stribeck "Friction while sliding as a function of the speed"
  input Real v "Speed; its sign does not matter";
  input Real coulomb "Friction that does not depend on the speed";
  input Real stribeck "Additional friction at low speed";
  input Real viscous "Friction per speed";
  input Real v0 "Speed at which the additional friction has fallen to 37 percent";
  output Real f "Friction, not negative";
algorithm
  f := coulomb + stribeck*exp(-abs(v)/v0) + viscous*abs(v);
  annotation(
    Inline = true,
    Documentation(info = "<html>
<p>The curve of Stribeck: friction is largest at rest, falls with the speed, and grows again with viscous
friction.</p>
</html>"));
end stribeck;
