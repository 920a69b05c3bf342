int outside_second(int n);
int outside_many(int n) { return n == 0 ? 0 : n + outside_second(n - 1); }
