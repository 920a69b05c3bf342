package P
  model connector
    Real x;
  end connector;
  function der
  end der;
end P;
