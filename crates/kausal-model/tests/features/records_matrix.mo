// 10.4.2.1 and 12.6: matrices of records, in equations and functions.
operator record Complex
  Real re;
  Real im;
  encapsulated operator function '*'
    import Complex;
    input Complex a;
    input Complex b;
    output Complex c;
  algorithm
    c.re := a.re*b.re - a.im*b.im;
    c.im := a.re*b.im + a.im*b.re;
  end '*';
  encapsulated operator function '+'
    import Complex;
    input Complex a;
    input Complex b;
    output Complex c;
  algorithm
    c.re := a.re + b.re;
    c.im := a.im + b.im;
  end '+';
  encapsulated operator function '0'
    import Complex;
    output Complex c;
  algorithm
    c.re := 0;
    c.im := 0;
  end '0';
end Complex;
function trace
  input Complex a;
  input Complex b;
  output Complex t;
protected
  Complex m[2, 2];
algorithm
  m := [a, b; b, a];
  t := m[1, 1] + m[2, 2];
end trace;
model RecordsMatrix
  Complex a(re = time, im = 1), b(re = 2, im = time);
  Complex row[2] = {a, b};
  Complex m[2, 2] = [a, b; b, a];
  Complex n[2, 3] = [m, row];
  Complex product[2] = m*row;
  Complex t = trace(a, b);
end RecordsMatrix;
