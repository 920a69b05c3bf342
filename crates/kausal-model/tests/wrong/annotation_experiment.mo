// expect: K0302
model M
  Real x = time;
  annotation(experiment(StopTime = "long"));
end M;
