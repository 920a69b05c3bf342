package Media "Replaceable packages and class extensions"
  partial package PartialMedium
    constant String mediumName = "unusable";
    constant Integer nXi(min = 0) = 0;
    replaceable record State
      Real p, T;
    end State;

    replaceable partial model BaseProperties
      Real p, h, T;
      parameter Boolean preferredStates = false;
      State state;
    end BaseProperties;

    replaceable partial function density
      input State state;
      output Real d;
    end density;

    replaceable type Temperature = Real(min = 0, start = 300, nominal = 300) "in K";
  end PartialMedium;

  package Water
    extends PartialMedium(mediumName = "water", final nXi = 0, redeclare type Temperature = Real(min = 273.15));

    redeclare record extends State "with a phase"
      Integer phase(min = 0, max = 2) = 1;
    end State;

    redeclare model extends BaseProperties(final preferredStates = true)
    equation
      h = 4200*(T - 273.15);
      state.p = p;
      state.T = T;
    end BaseProperties;

    redeclare function extends density
    algorithm
      d := 1000 - 0.3*(state.T - 277);
    end density;
  end Water;

  model Volume
    replaceable package Medium = PartialMedium constrainedby PartialMedium annotation (
      choices(choice(redeclare package Medium = Water "Liquid water"), choice(redeclare package Medium = Media.Water)));
    Medium.BaseProperties medium(T(start = 300, fixed = true), redeclare each Medium.State state);
    parameter Real V = 1;
  equation
    V*der(medium.p*Medium.density(medium.state)) = 0;
    der(medium.h) = 0;
  end Volume;

  model Plant
    Volume v1(redeclare package Medium = Water(mediumName = "ice")), v2(redeclare replaceable package Medium = Water constrainedby Water);
    replaceable Volume v3(V = 3) constrainedby Volume(redeclare package Medium = Water) "Another";
  end Plant;

  model Smaller
    extends Plant(break v2, break connect(v1.a, v2.b), v1(V = break));
  end Smaller;
end Media;
