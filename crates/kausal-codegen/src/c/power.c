/* x^y; small integer exponents by repeated squaring, so that they are the same on every machine. */
static double kausal_power(double x, double y)
{
    if (y != trunc(y) || !(fabs(y) <= 32.0)) {
        return pow(x, y);
    }
    unsigned n = (unsigned)fabs(y);
    double result = 1.0;
    double square = x;
    while (n != 0) {
        if (n & 1u) {
            result *= square;
        }
        n >>= 1;
        if (n != 0) {
            square *= square;
        }
    }
    return y < 0.0 ? 1.0/result : result;
}
