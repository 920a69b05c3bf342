// 14: operator records with constructors, overloaded operators, zero and conversion to String.
operator record Cplx
  Real re;
  Real im;
  encapsulated operator 'constructor'
    import Cplx;
    function fromReal
      input Real re;
      input Real im = 0;
      output Cplx c(re = re, im = im);
    algorithm
      annotation(Inline = true);
    end fromReal;
  end 'constructor';
  encapsulated operator function '+'
    import Cplx;
    input Cplx a;
    input Cplx b;
    output Cplx c;
  algorithm
    c := Cplx(a.re + b.re, a.im + b.im);
    annotation(Inline = true);
  end '+';
  encapsulated operator '-'
    import Cplx;
    function negate
      input Cplx a;
      output Cplx c;
    algorithm
      c := Cplx(-a.re, -a.im);
      annotation(Inline = true);
    end negate;
    function subtract
      input Cplx a;
      input Cplx b;
      output Cplx c;
    algorithm
      c := Cplx(a.re - b.re, a.im - b.im);
      annotation(Inline = true);
    end subtract;
  end '-';
  encapsulated operator function '*'
    import Cplx;
    input Cplx a;
    input Cplx b;
    output Cplx c;
  algorithm
    c := Cplx(a.re*b.re - a.im*b.im, a.re*b.im + a.im*b.re);
    annotation(Inline = true);
  end '*';
  encapsulated operator function '/'
    import Cplx;
    input Cplx a;
    input Cplx b;
    output Cplx c;
  algorithm
    c := Cplx((a.re*b.re + a.im*b.im)/(b.re^2 + b.im^2), (a.im*b.re - a.re*b.im)/(b.re^2 + b.im^2));
  end '/';
  encapsulated operator function '0'
    import Cplx;
    output Cplx c;
  algorithm
    c := Cplx(0, 0);
  end '0';
end Cplx;
model OperatorRecords
  Cplx a = Cplx(time, 1);
  Cplx b = a + 2;
  Cplx c = -a*b;
  Cplx d = c/b - a;
  Cplx s = sum({a, b, c});
end OperatorRecords;
