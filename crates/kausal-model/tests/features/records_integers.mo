// 3.8.4: Integer fields of records that functions give change at events only: `integer` makes them jump there.
record State
  Real h;
  Integer phase(min = 0, max = 2);
end State;
function state
  input Real h;
  input Integer phase = 0;
  output State s;
algorithm
  s := State(h = h, phase = if phase > 0 then phase elseif h > 0.5 then 2 else 1);
end state;
model RecordsIntegers
  State s = state(time);
  State t;
  State known = state(time, 1);
  State list[2];
equation
  t = state(2*time);
  for i in 1:2 loop
    list[i] = state(i*time);
  end for;
end RecordsIntegers;
