model Chain "Relaxing, section 9: a chain of f revolute joints with general axes, offsets and inertia tensors"
  extends Kausal.Examples.Chain;
end Chain;
