# a comment
model M
  Real x; % position
  Real y;
  // right
end M;
