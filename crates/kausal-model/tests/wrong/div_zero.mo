// expect: K0329
model M
  constant Integer i = div(1, 0);
  Integer j = i;
end M;
