package P
  model First
    Real x;
  end Fist;

  model Second
    Real y;
  end second;
end P;
