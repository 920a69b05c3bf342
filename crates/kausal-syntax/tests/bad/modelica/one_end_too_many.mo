model A
  Real x;
end A;
end A;

model B
  Real y
end B;
