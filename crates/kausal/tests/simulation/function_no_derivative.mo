// What a `noDerivative` argument is computed by needs no derivative: nobody knows the one of a library function.
model M
  record Product
    Real value;
    Integer factors;
  end Product;
  function solve
    input Real A[1, 1];
    input Real b[1];
    output Real x[1] = b;
    output Integer info;
  protected
    Real work[1, 1] = A;
    Integer pivots[1];
  external "FORTRAN 77" dgesv(1, 1, work, 1, pivots, x, 1, info);
  end solve;
  function product
    input Real p, h;
    output Product r;
  algorithm
    r.value := sum(solve([1/p], {h}));
    r.factors := 2;
  end product;
  function value
    input Real p, h;
    input Product r;
    output Real d;
  algorithm
    d := r.value;
    annotation(Inline = false, derivative(noDerivative = r) = value_der);
  end value;
  function value_der
    input Real p, h;
    input Product r;
    input Real dp, dh;
    output Real dd;
  algorithm
    dd := h*dp + p*dh;
  end value_der;
  function area
    input Real p, h;
    output Real d;
  algorithm
    d := value(p, h, product(p, h));
  end area;
  Real p = 1 + time, h = 2 + time;
  Real d = area(p, h);
  Real x = der(d);
  annotation(experiment(StopTime = 1));
end M;
