// expect: K0235
model M
  expandable connector Bus
  end Bus;
  Bus a;
  Bus b;
equation
  connect(a.x, b.y);
end M;
