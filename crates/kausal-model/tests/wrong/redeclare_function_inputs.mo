// expect: K0216 K0372
model M
  model A
    replaceable function h
      input Real u;
      output Real y = u;
    end h;
    Real x = h(time);
  end A;
  function g
    input Real u;
    input Real k;
    output Real y = k*u;
  end g;
  A a(redeclare replaceable function h = g(k = 2));
  A b(redeclare function h = g);
end M;
