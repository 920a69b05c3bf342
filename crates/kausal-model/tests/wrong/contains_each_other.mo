// expect: K0220
package Lib
  model Hen
    Egg egg;
  end Hen;
  model Egg
    Hen hen;
  end Egg;
  model M "two classes contain each other"
    Hen h;
  end M;
end Lib;
