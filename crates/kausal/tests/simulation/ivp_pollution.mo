// 25 reactions of 20 species in polluted air; reactants and products as tables.
model M
  parameter Real k[25] = {0.35, 26.6, 12300, 0.00086, 0.00082, 15000, 0.00013, 24000, 16500, 9000, 0.022, 12000, 1.88,
    16300, 4.8e6, 3.5e-4, 0.0175, 1e8, 4.44e11, 1240, 2.1, 5.78, 0.0474, 1780, 3.12};
  // One or two species react; the species 21 is always one.
  constant Integer a[25] = {1, 2, 5, 7, 7, 7, 9, 9, 11, 11, 13, 10, 14, 1, 3, 4, 4, 16, 16, 17, 19, 19, 1, 19, 20};
  constant Integer b[25] = {21, 4, 2, 21, 21, 6, 21, 6, 2, 1, 21, 2, 21, 6, 21, 21, 21, 21, 21, 6, 21, 21, 4, 1, 21};
  Real y[20](start = {0, 0.2, 0, 0.04, 0, 0, 0.1, 0.3, 0.01, 0, 0, 0, 0, 0, 0, 0, 0.007, 0, 0, 0}, each fixed = true);
  Real r[25];
protected
  Real z[21] = cat(1, y, {1});
equation
  for i in 1:25 loop
    r[i] = k[i]*z[a[i]]*z[b[i]];
  end for;
  der(y[1]) = -r[1] - r[10] - r[14] - r[23] - r[24] + r[2] + r[3] + r[9] + r[11] + r[12] + r[22] + r[25];
  der(y[2]) = -r[2] - r[3] - r[9] - r[12] + r[1] + r[21];
  der(y[3]) = -r[15] + r[1] + r[17] + r[19] + r[22];
  der(y[4]) = -r[2] - r[16] - r[17] - r[23] + r[15];
  der(y[5]) = -r[3] + 2*r[4] + r[6] + r[7] + r[13] + r[20];
  der(y[6]) = -r[6] - r[8] - r[14] - r[20] + r[3] + 2*r[18];
  der(y[7]) = -r[4] - r[5] - r[6] + r[13];
  der(y[8]) = r[4] + r[5] + r[6] + r[7];
  der(y[9]) = -r[7] - r[8];
  der(y[10]) = -r[12] + r[7] + r[9];
  der(y[11]) = -r[9] - r[10] + r[8] + r[11];
  der(y[12]) = r[9];
  der(y[13]) = -r[11] + r[10];
  der(y[14]) = -r[13] + r[12];
  der(y[15]) = r[14];
  der(y[16]) = -r[18] - r[19] + r[16];
  der(y[17]) = -r[20];
  der(y[18]) = r[20];
  der(y[19]) = -r[21] - r[22] - r[24] + r[23] + r[25];
  der(y[20]) = -r[25] + r[24];
  annotation(experiment(StopTime = 60, Tolerance = 1e-9));
end M;
