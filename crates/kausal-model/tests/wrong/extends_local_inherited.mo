// expect: K0202
model M
  model A
    model B
      Real y = 2;
    end B;
  end A;
  extends A;
  extends B;
end M;
