// A body that turns more than twenty times about a fixed point. Its attitude is a quaternion that nobody asks for as a
// state, so the place of its mass competes with it; none of the choices is regular everywhere, and those with the first
// elements of the quaternion are singular at the start.
model M
  parameter Real m = 2, L = 0.5, g = 9.81;
  parameter Real I[3] = {0.02, 0.05, 0.05};
  Real Q[4](start = {0, 0, 0, 1}, fixed = {true, true, true, false}, each stateSelect = StateSelect.avoid);
  Real T[3, 3] "From the inertial frame to the body";
  Real w[3](start = {30, 0.3, 0.2}, each fixed = true) "Angular velocity, in the body";
  Real z[3];
  Real r[3], v[3], a[3] "Of the mass";
  Real f[3] "On the mass";
  Real momentum[3] "About the fixed point";
  Real energy, spin, upright;
equation
  T = 2*[Q[1]*Q[1] + Q[4]*Q[4] - 0.5, Q[1]*Q[2] + Q[3]*Q[4], Q[1]*Q[3] - Q[2]*Q[4];
         Q[2]*Q[1] - Q[3]*Q[4], Q[2]*Q[2] + Q[4]*Q[4] - 0.5, Q[2]*Q[3] + Q[1]*Q[4];
         Q[3]*Q[1] + Q[2]*Q[4], Q[3]*Q[2] - Q[1]*Q[4], Q[3]*Q[3] + Q[4]*Q[4] - 0.5];
  1 = Q*Q;
  w = 2*([Q[4], Q[3], -Q[2], -Q[1]; -Q[3], Q[4], Q[1], -Q[2]; Q[2], -Q[1], Q[4], -Q[3]]*der(Q));
  r = transpose(T)*{L, 0, 0};
  v = der(r);
  a = der(v);
  z = der(w);
  m*a = f + m*{0, -g, 0};
  {I[i]*z[i] for i in 1:3} + cross(w, {I[i]*w[i] for i in 1:3}) = -cross({L, 0, 0}, T*f);
  energy = m*v*v/2 + sum(I[i]*w[i]^2 for i in 1:3)/2 + m*g*r[2];
  spin = w[1];
  momentum = transpose(T)*{I[i]*w[i] for i in 1:3} + cross(r, m*v);
  upright = momentum[2];
  annotation(experiment(StopTime = 5, Tolerance = 1e-8));
end M;
