// expect: K0233
model M
  expandable connector Bus
  end Bus;
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  Bus bus;
  Pin pin;
equation
  connect(bus, pin);
  pin.v = 1;
end M;
