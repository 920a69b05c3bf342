// The ring modulator with parasitic capacitances of 2 pF.
function diode
  input Real u;
  output Real i;
algorithm
  i := 40.67286402e-9*(exp(17.7493332*u) - 1);
end diode;
model M
  parameter Real C = 1.6e-8, Cs = 2e-12, Cp = 1e-8, Lh = 4.45, Ls1 = 2e-3, Ls2 = 5e-4, Ls3 = 5e-4;
  parameter Real R = 25e3, Rp = 50, Rg1 = 36.3, Rg2 = 17.3, Rg3 = 17.3, Ri = 50, Rc = 600;
  parameter Real pi = 3.14159265358979323846;
  Real u[7](each start = 0, each fixed = true);
  Real i[8](each start = 0, each fixed = true, nominal = {1e-4, 1e-4, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3});
  Real in1 = 0.5*sin(2e3*pi*time), in2 = 2*sin(2e4*pi*time);
  Real q1 = diode(u[3] - u[5] - u[7] - in2), q2 = diode(-u[4] + u[6] - u[7] - in2);
  Real q3 = diode(u[4] + u[5] + u[7] + in2), q4 = diode(-u[3] - u[6] + u[7] + in2);
equation
  C*der(u[1]) = i[1] - 0.5*i[3] + 0.5*i[4] + i[7] - u[1]/R;
  C*der(u[2]) = i[2] - 0.5*i[5] + 0.5*i[6] + i[8] - u[2]/R;
  Cs*der(u[3]) = i[3] - q1 + q4;
  Cs*der(u[4]) = -i[4] + q2 - q3;
  Cs*der(u[5]) = i[5] + q1 - q3;
  Cs*der(u[6]) = -i[6] - q2 + q4;
  Cp*der(u[7]) = -u[7]/Rp + q1 + q2 - q3 - q4;
  Lh*der(i[1]) = -u[1];
  Lh*der(i[2]) = -u[2];
  Ls2*der(i[3]) = 0.5*u[1] - u[3] - Rg2*i[3];
  Ls3*der(i[4]) = -0.5*u[1] + u[4] - Rg3*i[4];
  Ls2*der(i[5]) = 0.5*u[2] - u[5] - Rg2*i[5];
  Ls3*der(i[6]) = -0.5*u[2] + u[6] - Rg3*i[6];
  Ls1*der(i[7]) = -u[1] + in1 - (Ri + Rg1)*i[7];
  Ls1*der(i[8]) = -u[2] - (Rc + Rg1)*i[8];
  annotation(experiment(StopTime = 1e-3, Tolerance = 1e-9));
end M;
