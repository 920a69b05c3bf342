#ifndef OUTSIDE_H
#define OUTSIDE_H
double outside_scaled(double x, double by);
#endif
