// expect: K0202
model M "a misspelt function"
  function square
    input Real u;
    output Real y;
  algorithm
    y := u*u;
  end square;
  Real x = sqare(time);
end M;
