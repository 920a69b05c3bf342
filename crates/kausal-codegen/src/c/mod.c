/* Integer modulus: the result has the sign of b. */
static inline double kausal_mod(double a, double b)
{
    return a - floor(a/b)*b;
}
