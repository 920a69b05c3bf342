// expect: K0351
model M "a factor is an Integer"
  Clock c = Clock(0.1);
  Clock d = subSample(c, 2.5);
end M;
