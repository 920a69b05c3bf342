// The smaller and the larger of two: numbers, literals of an enumeration, truth values.
model Extremes
  type Level = enumeration(low, middle, high);
  parameter Level a = Level.low, b = Level.high;
  Level most = max(a, b), least = min(Level.middle, b);
  Boolean both = min(time > 1, true), one = max(false, time > 2);
  Real x = max(time, 0.5);
end Extremes;
