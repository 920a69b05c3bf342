// expect: K0252
model M
  function f
    input Real u;
    output Real y;
  algorithm
    y := u;
  end f;
  extends f;
end M;
