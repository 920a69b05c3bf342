#include <math.h>
static double outside_included(double x) { return sqrt(x); }
