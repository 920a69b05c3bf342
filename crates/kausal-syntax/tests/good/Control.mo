package Control
  connector RealInput = input Real "Signal in";
  connector RealOutput = output Real;
  connector BooleanInput = input Boolean;

  expandable connector Bus "Signals of the vehicle"
    Real speed;
    Boolean braking;
  end Bus;

  type Init = enumeration(NoInit, SteadyState "at rest", InitialOutput) "How to begin" annotation (Evaluate = true);

  partial block SISO
    RealInput u;
    RealOutput y;
  end SISO;

  block PI "Proportional and integral"
    extends SISO;
    parameter Real k = 1, T(min = Modelica.Constants.small) = 1;
    parameter Init initType = Init.NoInit;
    parameter Boolean limited = false;
    parameter Real yMax = 1 annotation (Dialog(enable = limited));
    Limiter limiter(uMax = yMax) if limited;
    Real x(start = 0);
  initial equation
    if initType == Init.SteadyState then
      der(x) = 0;
    elseif initType == Init.InitialOutput then
      y = 0;
    end if;
  equation
    der(x) = u/T;
    y = k*(x + u);
  end PI;

  block Limiter
    extends SISO;
    parameter Real uMax, uMin = -uMax;
  equation
    y = smooth(0, if u > uMax then uMax else if u < uMin then uMin else u);
  end Limiter;

  block Counter
    input BooleanInput up, down;
    output Integer n(start = 0, fixed = true);
  protected
    Boolean both;
  algorithm
    both := up and down;
    when up and not both then
      n := pre(n) + 1;
    elsewhen down and not both then
      n := pre(n) - 1;
    end when;
  initial algorithm
    n := 0;
  end Counter;

  model Vehicle
    Bus bus;
    PI controller(k = 2, T = 0.5, initType = Init.SteadyState);
    block Plant = SISO(u(start = 1));
    Real v(start = 0);
  equation
    controller.u = 30 - bus.speed;
    connect(bus.speed, speedSensor.y);
    10*der(v) = controller.y - 0.3*v*abs(v) - (if bus.braking then 100 else 0);
  end Vehicle;
end Control;
