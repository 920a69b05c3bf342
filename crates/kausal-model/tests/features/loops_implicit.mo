// 11.2.2.1: loops without a range run over the dimensions that their variables are subscripts of, in equations,
// algorithms and functions, and over enumerations and Boolean where these are what an array is indexed by.
type Gas = enumeration(oxygen, nitrogen);
record Layer
  Real T[3];
  Real d;
end Layer;
function running
  input Real u[:];
  output Real y[size(u, 1)];
protected
  Real total = 0;
algorithm
  for i loop
    total := total + u[i];
    y[i] := total;
  end for;
end running;
function warmest
  input Layer layers[:];
  output Real y = -1000;
algorithm
  for i, j loop
    y := max(y, layers[i].T[j]);
  end for;
end warmest;
function share
  input Real x[Gas];
  output Real y[Gas];
algorithm
  for g loop
    y[g] := x[g]/sum(x[h] for h);
  end for;
end share;
model LoopsImplicit
  Real x[3], y[3], z[2, 3], s, w;
  Real amount[Gas], part[Gas], level[Boolean], low[Boolean];
  Layer layers[2];
equation
  for i loop
    x[i] = i*time;
  end for;
  y = running(x);
  for g loop
    amount[g] = Integer(g) + time;
  end for;
  part = share(amount);
  for b loop
    level[b] = if b then time else -time;
  end for;
  for i, j loop
    layers[i].T[j] = i + j*time;
  end for;
  layers.d = {1, 2};
  w = warmest(layers);
  s = sum(x[i]*y[i] for i);
algorithm
  for i loop
    for j loop
      z[i, j] := i*x[j];
    end for;
  end for;
algorithm
  for b loop
    low[b] := level[b] - 1;
  end for;
end LoopsImplicit;
