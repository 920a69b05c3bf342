model M
algorithm
  x += 1;
  y++;
  z := 1;
end M;
