// expect: K0317
model M
  Real y[2] = {if i == 1 then "a" else "b" for i in 1:2};
end M;
