// expect: K0216
model M
  model One
    Real x = time;
  end One;
  model Two
    Integer x = 2;
  end Two;
  model A
    replaceable One part;
    Real y = part.x;
  end A;
  A a(redeclare Two part);
end M;
