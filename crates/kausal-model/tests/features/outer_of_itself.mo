// A class with an outer component of its own class: the one that is missing is added once, and its own outer component is itself.
model OuterOfItself
  outer OuterOfItself t;
  Real x = 1;
  Real y = t.x + 1;
end OuterOfItself;
