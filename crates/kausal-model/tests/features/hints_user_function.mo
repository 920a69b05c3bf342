// A function of the user named like a hint is that function.
function residue
  input Real u;
  output Real y;
algorithm
  y := 2*u;
end residue;
model HintsUserFunction
  Real x = residue(time);
end HintsUserFunction;
