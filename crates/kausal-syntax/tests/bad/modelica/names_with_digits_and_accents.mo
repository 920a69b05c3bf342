model M
  Real 2x;
  Real größe = 1;
  Real x = 3y + 1e;
  Real élan;
equation
  größe = 2;
end M;
