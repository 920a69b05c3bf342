model TwoFilters "Inline integration, figure 1: two filters in series"
  parameter Real T1 = 0.1, T2 = 0.02 "Time constants";
  Real u "Input";
  Real x1(start = 0, fixed = true), x2(start = 0, fixed = true);
equation
  u = 1;
  T1*der(x1) + x1 = u;
  T2*der(x2) + x2 = x1;
  annotation(experiment(StopTime = 1, Tolerance = 1e-8));
end TwoFilters;
