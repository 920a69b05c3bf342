// 5.3.1: lookup does not leave an encapsulated class, except for built-in names.
package Outside
  constant Real k = 5;
  encapsulated package Inside
    import Outside;
    constant Real k = 7;
    model M
      Real x = k*time;
      Real y = Outside.k*sin(time);
    end M;
  end Inside;
end Outside;
model Encapsulated
  Outside.Inside.M m;
end Encapsulated;
