Model M
  Real equatio = 1;
  Real ned = 2;
  Real paramete, modle;
equation
  ned = equatio;
end M;
