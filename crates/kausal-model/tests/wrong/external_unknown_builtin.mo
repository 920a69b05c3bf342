// expect: K0375 K0391
model M "no such built-in external function"
  function f
    input Real u;
    output Real y;
    external "builtin" y = frobnicate(u);
  end f;
  Real x = f(time);
end M;
