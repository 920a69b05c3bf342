// Andrews' squeezing mechanism: seven bodies, seven angles, six constraints (index 3).
model M
  parameter Real m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706, m7 = 0.05498;
  parameter Real I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7;
  parameter Real I7 = 1.912e-5;
  parameter Real xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072, c0 = 4530;
  parameter Real d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, l0 = 0.07785, ss = 0.035;
  parameter Real sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04;
  parameter Real ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421, mom = 0.033;
  Real beta(start = -0.0617138900142764496, stateSelect = StateSelect.always);
  Real theta(start = 0, fixed = true), gamma(start = 0.455279819163070380), phi(start = 0.222668390165885885);
  Real delta(start = 0.487364979543842550), omega(start = -0.222668390165885885), epsilon(start = 1.23054744454982119);
  Real q[7] = {beta, theta, gamma, phi, delta, omega, epsilon};
  Real w[7](start = zeros(7), fixed = {false, true, false, false, false, false, false});
  Real wb(stateSelect = StateSelect.always) = w[1];
  Real lambda[6], F[7], xd, yd, length, force, fx, fy;
protected
  Real cross[2] = {rr*cos(beta) - d*cos(beta + theta), rr*sin(beta) - d*sin(beta + theta)};
  Real gx = -rr*sin(beta) + d*sin(beta + theta), gy = rr*cos(beta) - d*cos(beta + theta);
  Real hx = d*sin(beta + theta), hy = -d*cos(beta + theta);
equation
  der(q) = w;
  xd = sd*cos(gamma) + sc*sin(gamma) + xb;
  yd = sd*sin(gamma) - sc*cos(gamma) + yb;
  length = sqrt((xd - xc)^2 + (yd - yc)^2);
  force = -c0*(length - l0)/length;
  fx = force*(xd - xc);
  fy = force*(yd - yc);
  F[1] = mom - m2*da*rr*w[2]*(w[2] + 2*w[1])*sin(theta);
  F[2] = m2*da*rr*w[1]^2*sin(theta);
  F[3] = fx*(sc*cos(gamma) - sd*sin(gamma)) + fy*(sd*cos(gamma) + sc*sin(gamma));
  F[4] = m4*zt*(e - ea)*w[5]^2*cos(phi);
  F[5] = -m4*zt*(e - ea)*w[4]*(w[4] + 2*w[5])*cos(phi);
  F[6] = -m6*u*(zf - fa)*w[7]^2*cos(omega);
  F[7] = m6*u*(zf - fa)*w[6]*(w[6] + 2*w[7])*cos(omega);
  (m1*ra^2 + m2*(rr^2 - 2*da*rr*cos(theta) + da^2) + I1 + I2)*der(w[1]) + (m2*(da^2 - da*rr*cos(theta)) + I2)*der(w[2])
    = F[1] - gx*(lambda[1] + lambda[3] + lambda[5]) - gy*(lambda[2] + lambda[4] + lambda[6]);
  (m2*(da^2 - da*rr*cos(theta)) + I2)*der(w[1]) + (m2*da^2 + I2)*der(w[2])
    = F[2] - hx*(lambda[1] + lambda[3] + lambda[5]) - hy*(lambda[2] + lambda[4] + lambda[6]);
  (m3*(sa^2 + sb^2) + I3)*der(w[3]) = F[3] + ss*cos(gamma)*lambda[1] + ss*sin(gamma)*lambda[2];
  (m4*(e - ea)^2 + I4)*der(w[4]) + (m4*((e - ea)^2 + zt*(e - ea)*sin(phi)) + I4)*der(w[5])
    = F[4] + e*cos(phi + delta)*lambda[3] + e*sin(phi + delta)*lambda[4];
  (m4*((e - ea)^2 + zt*(e - ea)*sin(phi)) + I4)*der(w[4])
    + (m4*(zt^2 + 2*zt*(e - ea)*sin(phi) + (e - ea)^2) + m5*(ta^2 + tb^2) + I4 + I5)*der(w[5])
    = F[5] + (e*cos(phi + delta) - zt*sin(delta))*lambda[3] + (e*sin(phi + delta) + zt*cos(delta))*lambda[4];
  (m6*(zf - fa)^2 + I6)*der(w[6]) + (m6*((zf - fa)^2 - u*(zf - fa)*sin(omega)) + I6)*der(w[7])
    = F[6] - zf*sin(omega + epsilon)*lambda[5] + zf*cos(omega + epsilon)*lambda[6];
  (m6*((zf - fa)^2 - u*(zf - fa)*sin(omega)) + I6)*der(w[6])
    + (m6*((zf - fa)^2 - 2*u*(zf - fa)*sin(omega) + u^2) + m7*(ua^2 + ub^2) + I6 + I7)*der(w[7])
    = F[7] - (zf*sin(omega + epsilon) - u*cos(epsilon))*lambda[5] + (zf*cos(omega + epsilon) + u*sin(epsilon))*lambda[6];
  cross[1] - ss*sin(gamma) = xb;
  cross[2] + ss*cos(gamma) = yb;
  cross[1] - e*sin(phi + delta) - zt*cos(delta) = xa;
  cross[2] + e*cos(phi + delta) - zt*sin(delta) = ya;
  cross[1] - zf*cos(omega + epsilon) - u*sin(epsilon) = xa;
  cross[2] - zf*sin(omega + epsilon) + u*cos(epsilon) = ya;
  annotation(experiment(StopTime = 0.03, Tolerance = 1e-9));
end M;
