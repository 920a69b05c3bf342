model A
  Real x;
end model;
