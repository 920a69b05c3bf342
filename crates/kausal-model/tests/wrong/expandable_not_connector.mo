// expect: K0232
model M
  expandable connector Bus
  end Bus;
  Bus bus;
  Real u = time;
equation
  connect(u, bus.speed);
end M;
