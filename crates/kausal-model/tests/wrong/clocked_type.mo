// expect: K0317
model M "a clock is not a Boolean"
  Boolean tick = Clock(0.1);
end M;
