package Ensembles "The models of the ensembles"
  model Lorenz "(a) three states, smooth"
    parameter Real sigma = 10;
    parameter Real rho = 28;
    parameter Real beta = 8/3;
    Real x(start = 1, fixed = true);
    Real y(start = 1, fixed = true);
    Real z(start = 1, fixed = true);
  equation
    der(x) = sigma*(y - x);
    der(y) = x*(rho - z) - y;
    der(z) = x*y - beta*z;
    annotation(experiment(StopTime = 1, Tolerance = 1e-6));
  end Lorenz;

  model Ball "(b) some twenty impacts"
    parameter Real e = 0.95 "restitution";
    parameter Real g = 9.81;
    Real h(start = 1, fixed = true);
    Real v(start = 0, fixed = true);
    Integer impacts(start = 0, fixed = true);
  equation
    der(h) = v;
    der(v) = -g;
    when h <= 0 then
      reinit(v, -e*pre(v));
      impacts = pre(impacts) + 1;
    end when;
    annotation(experiment(StopTime = 11, Tolerance = 1e-6));
  end Ball;

  model VanDerPol "(c) stiff"
    parameter Real mu = 1000;
    Real x(start = 2, fixed = true);
    Real y(start = 0, fixed = true);
  equation
    der(x) = y;
    der(y) = mu*(1 - x*x)*y - x;
    annotation(experiment(StopTime = 2000, Tolerance = 1e-6));
  end VanDerPol;

  model Drive "(e) a motor with current and speed control, sampled, and friction that sticks"
    parameter Real R = 0.5;
    parameter Real L = 0.01;
    parameter Real k = 0.4;
    parameter Real J = 0.02;
    parameter Real Fc = 0.3 "friction that slides";
    parameter Real d = 0.01;
    parameter Real wanted = 20;
    constant Real T = 0.005 "of the controller";
    Real i(start = 0, fixed = true);
    Real w(start = 0, fixed = true);
    Real phi(start = 0, fixed = true);
    Real friction;
    discrete Real u(start = 0, fixed = true);
    discrete Real sum(start = 0, fixed = true);
    Real load = if time > 0.5 then 0.5 else 0;
    Boolean forward = w > 0.01;
    Boolean backward = w < -0.01;
  equation
    L*der(i) = u - R*i - k*w;
    J*der(w) = k*i - load - friction - d*w;
    der(phi) = w;
    friction = if forward then Fc else if backward then -Fc else Fc*w/0.01;
    when sample(0, T) then
      sum = min(max(pre(sum) + T*(wanted - w), -5), 5);
      u = min(max(0.8*(wanted - w) + 6*sum, -24), 24);
    end when;
    annotation(experiment(StopTime = 1, Tolerance = 1e-6));
  end Drive;
end Ensembles;
