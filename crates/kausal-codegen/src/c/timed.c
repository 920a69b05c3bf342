/* The value of a relation of time. At its own instant, where due is how fast its difference grows, it is where it goes to. */
static double kausal_timed_relation(double difference, int or_equal, double due, double time)
{
    if (due != 0.0 && fabs(difference) <= 1e-11*fabs(due)*fmax(fabs(time), 1e-3)) {
        return (double)(due < 0.0);
    }
    return (double)(or_equal ? difference <= 0.0 : difference < 0.0);
}
