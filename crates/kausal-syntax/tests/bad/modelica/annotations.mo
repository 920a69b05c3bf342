model M
  Real x annotation;
  Real y annotation (Evaluate = true;
  Real z;
  annotation Documentation(info = "text");
  annotation (Documentation(info = "text"))
end M;
