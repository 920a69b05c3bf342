// Abstract extends missing.
// expect: K0202
// line: 6
// words: did you mean Kausal.Electrical.Interfaces.OnePort?
model M
  extends Kausal.Electrical.OnePort;
equation
  v = 10*i;
end M;
