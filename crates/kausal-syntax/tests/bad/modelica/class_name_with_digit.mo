model 2Tank
  Real x;
equation
  x = 1;
end 2Tank;
