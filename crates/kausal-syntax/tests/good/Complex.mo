within ;
operator record Complex "Complex numbers with overloaded operators"
  replaceable Real re "Real part";
  replaceable Real im "Imaginary part";

  encapsulated operator 'constructor'
    function fromReal
      import Complex;
      input Real re;
      input Real im = 0;
      output Complex result(re = re, im = im);
    algorithm
      annotation (Inline = true);
    end fromReal;
  end 'constructor';

  encapsulated operator function '0'
    import Complex;
    output Complex c;
  algorithm
    c := Complex(0);
  end '0';

  encapsulated operator '-'
    import Complex;
    function negate
      input Complex c1;
      output Complex c2;
    algorithm
      c2 := Complex(-c1.re, -c1.im);
    end negate;

    function subtract
      input Complex c1, c2;
      output Complex c3;
    algorithm
      c3 := Complex(c1.re - c2.re, c1.im - c2.im);
    end subtract;
  end '-';

  encapsulated operator function '*'
    import Complex;
    import Modelica.Math.{sin, cos};
    import Modelica.Constants.*;
    import C = Modelica.Constants;
    input Complex c1, c2;
    output Complex c3;
  algorithm
    c3 := Complex(c1.re*c2.re - c1.im*c2.im, c1.re*c2.im + c1.im*c2.re);
  end '*';

  encapsulated operator function 'String'
    import Complex;
    input Complex c;
    input String name = "j";
    output String s;
  algorithm
    s := String(c.re);
    if c.im <> 0 then
      s := if c.im > 0 then s + " + " else s + " - ";
      s := s + String(abs(c.im))+ "*" + name;
    else
    end if;
  end 'String';
end Complex;
