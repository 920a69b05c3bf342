// expect: K0255
model M
  package Water
    model State
      Real T = time;
    end State;
  end Water;
  replaceable package Medium = Water;
  model Other
    extends Medium.State;
  end Other;
  Other other;
end M;
