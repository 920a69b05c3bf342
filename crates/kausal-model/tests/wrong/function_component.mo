// expect: K0224
model M "a component of a function"
  function f
    input Real u;
    output Real y;
  algorithm
    y := u;
  end f;
  f g;
end M;
