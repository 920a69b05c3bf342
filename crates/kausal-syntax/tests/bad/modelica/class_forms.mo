package P
  model A(parameter Real x)
    Real y;
  end A;
  type E = enumeration(a, 2, c);
  type F = ;
  function g = der(f);
  expandable model B
  end B;
  pure model C
  end C;
  connector
    Real u;
  end D;
end P;
