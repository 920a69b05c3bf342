int outside_many(int n);
int outside_second(int n) { return outside_many(n); }
