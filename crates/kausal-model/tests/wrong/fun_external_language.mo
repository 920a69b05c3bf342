// expect: K0375 K0391
model M
  function f
    input Real u;
    output Real y;
    external "Cobol" y = nosuch(u);
  end f;
  Real x = f(time);
end M;
