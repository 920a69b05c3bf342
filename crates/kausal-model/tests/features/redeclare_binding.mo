// 7.3: a redeclared component without a value of its own keeps the one of the declaration it replaces.
record Cell
  parameter Real R = 1;
end Cell;
record AgedCell
  extends Cell(R = 2);
  parameter Integer n = 1;
  parameter Real tau[n] = fill(5, n);
end AgedCell;
record Stack
  replaceable parameter Cell original;
  replaceable parameter Cell aged;
  replaceable parameter Cell cell[2] = {original, aged};
end Stack;
record AgedStack
  extends Stack(redeclare AgedCell original, redeclare AgedCell aged, redeclare AgedCell cell);
end AgedStack;
model RedeclareBinding
  parameter AgedCell fresh(R = 3, n = 2, tau = {1, 2});
  parameter AgedStack stack(original = fresh, aged = fresh);
  Real v[2] = stack.cell.R*time;
  Real w[2] = stack.cell[1].tau*time;
end RedeclareBinding;
