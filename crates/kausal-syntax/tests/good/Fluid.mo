package Fluid
  connector Port
    replaceable package Medium = Media.PartialMedium;
    flow Real m_flow;
    Real p;
    stream Real h_outflow;
    stream Real Xi_outflow[Medium.nXi];
  end Port;

  model Pipe
    replaceable package Medium = Media.PartialMedium;
    Port a(redeclare final package Medium = Medium, m_flow(min = if allowFlowReversal then -1e60 else 0)), b(redeclare package Medium = Medium);
    parameter Boolean allowFlowReversal = true;
    parameter Real k = 1e-3 "Conductance";
  equation
    a.m_flow + b.m_flow = 0;
    a.m_flow = homotopy(actual = k*sign(a.p - b.p)*sqrt(abs(a.p - b.p)), simplified = k*(a.p - b.p));
    a.h_outflow = inStream(b.h_outflow);
    b.h_outflow = inStream(a.h_outflow);
    a.Xi_outflow = inStream(b.Xi_outflow);
    b.Xi_outflow = inStream(a.Xi_outflow);
  end Pipe;

  model System
    Pipe pipe[3](each k = 2);
    inner replaceable model Friction = Laminar(f = 64) constrainedby Turbulent;
    outer parameter Real ambient;
  equation
    connect(pipe[1].b, pipe[2].a);
    connect(pipe[2].b, pipe[3].a);
    Connections.branch(pipe[1].a, pipe[1].b);
    Connections.potentialRoot(pipe[1].a, priority = 5);
    if Connections.isRoot(pipe[1].a) then
      pipe[1].a.p = 1e5;
    end if;
    pipe[3].b.p = if Connections.rooted(pipe[1].a) then 1e5 else 2e5;
    residue(pipe[1].a.m_flow) = relax(pipe[1].a.p) - 1e5;
  end System;
end Fluid;
