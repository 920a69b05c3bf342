// expect: K0311
model M
  expandable connector Bus
    Real speed[:];
  end Bus;
  Bus bus;
  Real x = sum(bus.speed);
end M;
