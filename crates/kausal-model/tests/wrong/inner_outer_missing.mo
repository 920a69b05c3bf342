// expect: K0221
model M "inner outer needs an inner component above it, too"
  model Leaf
    outer Real level;
    Real y = level;
  end Leaf;
  model Part
    inner outer parameter Real level = 2*level0;
    parameter Real level0 = level;
    Leaf leaf;
  end Part;
  Part part(level0 = 1);
end M;
