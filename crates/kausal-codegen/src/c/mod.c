/* Integer modulus: the result has the sign of b. */
static inline double kausal_mod(double a, double b)
{
    const double rest = a - trunc(a/b)*b;
    return rest*b < 0.0 ? rest + b : rest;
}
