// The size of a result depends on what a foreign function says of a string; it is run when the model is flattened.
model M
  function length
    input String s;
    output Integer n;
  external "C" n = ModelicaStrings_length(s);
  end length;
  function places
    input String s;
    input Real scale;
    output Real v[:];
  protected
    Integer n = length(s);
  algorithm
    v := scale*(1:n);
  end places;
  parameter String word = "four";
  parameter Real scale = 2;
  parameter Real v[:] = places(word, scale);
  Real y = time*v[size(v, 1)];
  Real n = size(v, 1);
  annotation(experiment(StopTime = 1, Tolerance = 1e-6));
end M;
