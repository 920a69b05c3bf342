package P
  model A
    Real x;
  end;
  model B
    Real y;
  end B;
end P;
