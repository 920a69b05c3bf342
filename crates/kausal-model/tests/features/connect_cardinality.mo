// 3.7.4.3: cardinality counts the connections of a connector.
connector Pin
  Real v;
  flow Real i;
end Pin;
model Node
  Pin p;
  Pin q;
equation
  if cardinality(p) == 0 then
    p.v = 0;
  else
    p.v = p.i;
  end if;
  q.v = cardinality(q)*time;
end Node;
model ConnectCardinality
  Node a;
  Node b;
equation
  connect(a.q, b.p);
end ConnectCardinality;
