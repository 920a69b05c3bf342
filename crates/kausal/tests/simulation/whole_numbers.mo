// Division and remainders of positive and negative numbers (specification section 3.7.2).
model M
  Real a = div(7, -2), b = rem(7, -2), c = mod(7, -2), d = mod(-7, 2), e = rem(-7, 2);
  Real f = floor(-1.5), g = ceil(-1.5), h = integer(-1.5);
  Real i = div(-7.5 + 0*time, 2), j = mod(-7.5 + 0*time, 2), k = rem(-7.5 + 0*time, 2);
  Real l = sign(-3 + time), m = abs(-3 + time);
end M;
