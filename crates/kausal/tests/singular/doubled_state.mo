// expect: K0404
// The law of the loss stands twice, so the temperature seems to be given by it, and the start value to be one too many.
model M
  Real T(start = 90, fixed = true), loss, gain;
equation
  der(T) = gain - loss;
  loss = (T - 20)/600;
  600*loss + 20 = T;
end M;
