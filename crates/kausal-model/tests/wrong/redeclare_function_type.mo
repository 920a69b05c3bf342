// expect: K0216
model M
  model A
    replaceable function h
      input Real u;
      output Real y = u;
    end h;
    Real x = h(2)*time;
  end A;
  function g
    input Integer u;
    output Real y = 2*u;
  end g;
  A a(redeclare function h = g);
end M;
