model M
  Boolean b = x != 1 && y ~= 2 || !z;
  Real r = x**2;
  Boolean c = x =< 1 or x => 2;
end M;
