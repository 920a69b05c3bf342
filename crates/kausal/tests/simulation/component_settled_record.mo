// A final record that a function computes from a record to be evaluated: a resistance of zero in it is no resistance,
// and the capacitor behind it has no state.
model M
  record Card
    Real R = 0;
    Real C = 1;
  end Card;
  record Values
    Real r;
    Real c;
  end Values;
  function compute
    input Card card;
    input Real squares;
    output Values values;
  algorithm
    values.r := card.R*squares;
    values.c := 2*card.C;
  end compute;
  model Part
    parameter Card card annotation(Evaluate = true);
    parameter Real squares = 3 annotation(Evaluate = true);
    final parameter Values values = compute(card, squares);
    Real u, inside, i;
  equation
    values.r*i = u - inside;
    i = values.c*der(inside);
  end Part;
  Part part(card(C = 4));
equation
  part.u = sin(time);
  annotation(experiment(StopTime = 2, Tolerance = 1e-8));
end M;
