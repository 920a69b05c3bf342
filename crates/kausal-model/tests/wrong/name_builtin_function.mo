// expect: K0202
model M "no such built-in function"
  Real x = sinus(time);
end M;
