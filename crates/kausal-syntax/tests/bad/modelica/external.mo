function f
  input Real x;
  output Real y;
  external "C" y = f(x;
  external "C" 3;
end f;
