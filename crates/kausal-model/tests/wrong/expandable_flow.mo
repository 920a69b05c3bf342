// expect: K0253
model M
  expandable connector Bus
    flow Real i;
  end Bus;
  Bus bus;
end M;
