within Tests.Good;

package Mechanics
  extends Modelica.Icons.Package;

  connector Flange
    Modelica.Units.SI.Angle phi;
    flow Modelica.Units.SI.Torque tau;
  end Flange;

  record Data "Masses and stiffnesses"
    parameter Real J = 1 annotation (Evaluate = true, Dialog(tab = "General", group = "Inertia"));
    parameter Real c = 1e3;
    parameter Real d[:] = {1, 2, 3} "Damping of the three stages";
  end Data;

  model World
    parameter Real g[3] = {0, -9.81, 0};
    replaceable function gravity = constantGravity constrainedby partialGravity "Field of gravity" annotation (choicesAllMatching = true);
  end World;

  model Inertia
    Flange a, b;
    parameter Data data;
    outer World world;
    Real w(stateSelect = StateSelect.prefer, start = 0) "Speed";
  equation
    a.phi = b.phi;
    w = der(a.phi);
    data.J*der(w) = a.tau + b.tau;
  end Inertia;

  model SpringDamper
    Flange a, b;
    parameter Real c(unit = "N.m/rad"), d(unit = "N.m.s/rad") = 0;
    Real phi_rel = b.phi - a.phi;
  equation
    b.tau = c*phi_rel + d*der(phi_rel);
    a.tau + b.tau = 0;
  end SpringDamper;

  model Gear
    Flange a;
    Flange b;
    parameter Real ratio = 10;
    parameter Boolean useLosses = false;
    Modelica.Thermal.HeatTransfer.Interfaces.HeatPort_a heatPort if useLosses;
  equation
    a.phi = ratio*b.phi;
    0 = ratio*a.tau + b.tau;
    assert(ratio <> 0, "The ratio must not be zero" + String(ratio), AssertionLevel.error);
  end Gear;

  model Train
    inner World world(g = {0, 0, 0});
    Inertia inertia[3](each data(J = 2), each w.start = 1);
    SpringDamper spring[2](c = {1e3, 2e3}, d = fill(0.1, 2));
    Gear gear(final ratio = 5);
  initial equation
    der(inertia[3].w) = 0;
  equation
    for i in 1:2 loop
      connect(inertia[i].b, spring[i].a);
      connect(spring[i].b, inertia[i + 1].a);
    end for;
    connect(inertia[end].b, gear.a);
    gear.b.tau = if time < 1 then 0 elseif time < 2 then 1 else -sin(time)*exp(-time);
  end Train;
end Mechanics;
