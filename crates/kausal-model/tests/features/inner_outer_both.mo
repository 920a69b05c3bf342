model InnerOuter
  connector Cut Real v; flow Real i; end Cut;
  block Enable
    parameter Boolean own = true;
    input Boolean u = true;
    output Boolean on;
  equation
    on = u and own;
  end Enable;
  model Leaf
    outer Enable enable;
    Real x(start=1, fixed=true);
  equation
    der(x) = if enable.on then -x else 0;
  end Leaf;
  model Composite
    inner outer Enable enable(own = k > 1, u = enable.on);
    parameter Integer k = 2;
    Leaf a, b;
  end Composite;
  inner Enable enable(u = time < 1);
  Composite c(k = 1), d;
end InnerOuter;
