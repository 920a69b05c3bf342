//! The run-time parts of generated C, each tested alone: solutions are put back into the equations.

mod common;

use common::cc;

const HEAD: &str = r#"
#include <math.h>
#include <stdio.h>
static unsigned long long state = 12345;
static inline double number(void) /* between -1 and 1, always the same sequence */
{
    state = state*6364136223846793005ull + 1442695040888963407ull;
    return (double)(state >> 11)/4503599627370496.0 - 1.0;
}
#define CHECK(what) do { if (!(what)) { printf("line %d: %s\n", __LINE__, #what); return 1; } } while (0)
"#;

fn run(kernels: &[&str], main: &str) {
    if let Some(output) = cc::run(&format!("{HEAD}{}{main}", kernels.concat()), &[]) {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

/// Random dense systems up to 30 equations; singular ones are told.
#[test]
fn lu() {
    run(
        &[include_str!("../src/c/lu.c")],
        r#"
int main(void)
{
    for (int n = 1; n <= 30; n++) {
        double a[900], copy[900], b[30], x[30];
        int p[30];
        for (int i = 0; i < n*n; i++) copy[i] = a[i] = i % 3 ? number() : 0.0;
        for (int i = 0; i < n; i++) {
            a[i*n + (i + 1) % n] += 4.0; /* regular, with small diagonal elements */
            copy[i*n + (i + 1) % n] += 4.0;
            x[i] = b[i] = number();
        }
        CHECK(kausal_lu_factor(n, a, p) == 0);
        kausal_lu_solve(n, a, p, x);
        for (int i = 0; i < n; i++) {
            double r = -b[i];
            for (int j = 0; j < n; j++) r += copy[i*n + j]*x[j];
            CHECK(fabs(r) < 1e-12);
        }
    }
    double singular[4] = {1.0, 2.0, 2.0, 4.0}, nan[1] = {NAN};
    int p[2];
    CHECK(kausal_lu_factor(2, singular, p) == 1);
    CHECK(kausal_lu_factor(1, nan, p) == 1);
    return 0;
}"#,
    );
}

/// Random symmetric systems, positive definite and indefinite; one without any diagonal is refused.
#[test]
fn ldlt() {
    run(
        &[include_str!("../src/c/ldlt.c")],
        r#"
int main(void)
{
    for (int n = 1; n <= 30; n++) {
        double a[900], copy[900], b[30], x[30];
        int p[30];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j <= i; j++) {
                a[i*n + j] = copy[i*n + j] = copy[j*n + i] = i == j ? (i % 2 ? 5.0 : -5.0)*n + number() : number();
                a[j*n + i] = i == j ? a[i*n + j] : 1e9; /* the upper triangle is not looked at */
            }
            x[i] = b[i] = number();
        }
        CHECK(kausal_ldlt_factor(n, a, p) == 0);
        kausal_ldlt_solve(n, a, p, x);
        for (int i = 0; i < n; i++) {
            double r = -b[i];
            for (int j = 0; j < n; j++) r += copy[i*n + j]*x[j];
            CHECK(fabs(r) < 1e-12);
        }
    }
    double saddle[4] = {0.0, 9.9, 1.0, 0.0};
    int p[2];
    CHECK(kausal_ldlt_factor(2, saddle, p) == 1);
    return 0;
}"#,
    );
}

/// Random band systems that need their rows exchanged.
#[test]
fn band() {
    run(
        &[include_str!("../src/c/band.c")],
        r#"
int main(void)
{
    for (int low = 0; low < 4; low++) for (int high = 0; high < 4; high++) for (int n = 1; n < 40; n += 6) {
        const int width = 2*low + high + 1;
        double a[40*10], copy[40*40] = {0.0}, b[40], x[40];
        int p[40];
        for (int i = 0; i < n*width; i++) a[i] = 0.0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                if (j - i <= high && i - j <= low) {
                    /* The last diagonal below dominates where there is one. */
                    copy[i*n + j] = (i == j && (low == 0 || i < low) ? 3.0 : 0.0) + (low && i - j == low ? 3.0 : 0.0) + number();
                    a[i*width + j - i + low] = copy[i*n + j];
                }
            }
            x[i] = b[i] = number();
        }
        if (kausal_band_factor(n, low, high, a, p)) continue;
        kausal_band_solve(n, low, high, a, p, x);
        double largest = 1.0;
        for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
        for (int i = 0; i < n; i++) {
            double r = -b[i];
            for (int j = 0; j < n; j++) r += copy[i*n + j]*x[j];
            CHECK(fabs(r) < 1e-11*largest);
        }
    }
    double singular[3] = {1.0, 0.0, 2.0};
    int p[3];
    CHECK(kausal_band_factor(3, 0, 0, singular, p) == 1);
    return 0;
}"#,
    );
}

/// Two equations with a known solution, with and without derivatives, from a start that needs damping; one
/// without a solution; bounds.
#[test]
fn newton() {
    run(
        &[include_str!("../src/c/lu.c"), include_str!("../src/c/newton.c")],
        r#"
static double v[6];
static int evaluate(void *model) /* atan(5 x) + y = 1, x - y = -1 */
{
    (void)model;
    v[2] = atan(5.0*v[0]) + v[1] - 1.0;
    v[3] = v[0] - v[1] + 1.0;
    return 0;
}
static int jacobian(void *model, double *matrix)
{
    (void)model;
    matrix[0] = 5.0/(1.0 + 25.0*v[0]*v[0]);
    matrix[1] = 1.0;
    matrix[2] = 1.0;
    matrix[3] = -1.0;
    return 0;
}
static int impossible(void *model) /* x^2 + 1 = 0 */
{
    (void)model;
    v[1] = v[0]*v[0] + 1.0;
    return 0;
}
static int root(void *model) /* sqrt(x) = 0.1: a negative x must not be tried */
{
    (void)model;
    v[1] = sqrt(v[0]) - 0.1;
    return v[0] < 0.0;
}
int main(void)
{
    static const int unknown[2] = {0, 1}, residual[2] = {2, 3}, one[1] = {0}, second[1] = {1};
    static const double nominal[2] = {1.0, 1.0}, max[2] = {HUGE_VAL, HUGE_VAL};
    const double min[2] = {-HUGE_VAL, -HUGE_VAL}, zero[1] = {0.0};
    const kausal_system with = {2, 100, unknown, residual, nominal, min, max, evaluate, jacobian};
    const kausal_system without = {2, 100, unknown, residual, nominal, min, max, evaluate, 0};
    const kausal_system hopeless = {1, 100, one, second, nominal, min, max, impossible, 0};
    const kausal_system bounded = {1, 100, one, second, nominal, zero, max, root, 0};
    double work[12];
    int pivot[2];
    v[0] = 40.0; v[1] = -3.0;
    CHECK(kausal_newton(&with, 0, v, work, pivot) == 0);
    CHECK(fabs(v[0]) < 1e-9 && fabs(v[1] - 1.0) < 1e-9);
    v[0] = 40.0; v[1] = -3.0;
    CHECK(kausal_newton(&without, 0, v, work, pivot) == 0);
    CHECK(fabs(v[0]) < 1e-9 && fabs(v[1] - 1.0) < 1e-9);
    v[0] = 3.0;
    CHECK(kausal_newton(&hopeless, 0, v, work, pivot) != 0);
    v[0] = 1.0;
    CHECK(kausal_newton(&bounded, 0, v, work, pivot) == 0);
    CHECK(fabs(v[0] - 0.01) < 1e-10);
    return 0;
}"#,
    );
}

/// Tries are counted, shorter steps too.
#[test]
fn newton_is_bounded() {
    run(
        &[include_str!("../src/c/lu.c"), include_str!("../src/c/newton.c")],
        r#"
static double v[2];
static int calls;
static int evaluate(void *model) /* atan(5 x) = 0: full steps from afar lead nowhere */
{
    (void)model;
    calls++;
    v[1] = atan(5.0*v[0]);
    return 0;
}
static int jacobian(void *model, double *matrix)
{
    (void)model;
    matrix[0] = 5.0/(1.0 + 25.0*v[0]*v[0]);
    return 0;
}
int main(void)
{
    static const int unknown[1] = {0}, residual[1] = {1};
    static const double nominal[1] = {1.0}, min[1] = {-HUGE_VAL}, max[1] = {HUGE_VAL};
    double work[5];
    int pivot[1];
    for (int most = 1; most < 6; most++) {
        const kausal_system s = {1, most, unknown, residual, nominal, min, max, evaluate, jacobian};
        v[0] = 3.0;
        calls = 0;
        CHECK(kausal_newton(&s, 0, v, work, pivot) == 4);
        CHECK(calls == most + 1);
    }
    const kausal_system s = {1, 50, unknown, residual, nominal, min, max, evaluate, jacobian};
    v[0] = 3.0;
    CHECK(kausal_newton(&s, 0, v, work, pivot) == 0);
    CHECK(fabs(v[0]) < 1e-12);
    return 0;
}"#,
    );
}

/// A relation near zero stays where it is, one of time goes where it goes at its instant.
#[test]
fn relations() {
    run(
        &[
            include_str!("../src/c/relation.c"),
            include_str!("../src/c/instant.c"),
            include_str!("../src/c/timed.c"),
        ],
        r#"
int main(void)
{
    double largest = 0.0;
    CHECK(kausal_relation(0.0, -2.0, 0, &largest) == 1.0 && largest == 2.0);
    CHECK(kausal_relation(1.0, 1.0, 1, &largest) == 0.0);
    CHECK(kausal_relation(1.0, 1e-10, 0, &largest) == 1.0);
    CHECK(kausal_relation(0.0, -1e-10, 1, &largest) == 0.0);
    CHECK(kausal_relation(0.0, -3e-10, 0, &largest) == 1.0);
    CHECK(kausal_relation(1.0, NAN, 0, &largest) == 0.0);
    CHECK(kausal_timed_relation(1e-16, 1, 0.0, 0.5) == 0.0);
    CHECK(kausal_timed_relation(1e-16, 1, -1.0, 0.5) == 1.0);
    CHECK(kausal_timed_relation(-1e-16, 1, 1.0, 0.5) == 0.0);
    CHECK(kausal_timed_relation(-0.1, 1, 1.0, 0.5) == 1.0);
    CHECK(kausal_same_instant(0.1 + 0.2, 0.3) && !kausal_same_instant(0.3, 0.3000001));
    CHECK(!kausal_same_instant(HUGE_VAL, 1.0) && !kausal_same_instant(HUGE_VAL, HUGE_VAL));
    return 0;
}"#,
    );
}

/// A pendulum x^2 + y^2 = 1 with the derivatives 2 x, 2 y: the state is y where x is large, and is kept until it is clearly worse.
#[test]
fn selection() {
    run(
        &[include_str!("../src/c/select.c")],
        r#"
int main(void)
{
    /* x, y, the state, the selection of x and of y */
    double v[5] = {0.6, 0.8, 0.6, 1.0, 0.0}, work[2];
    static const int candidate[2] = {0, 1}, state[1] = {2}, selection[2] = {3, 4};
    static const kausal_state_set set = {1, 0, 2, 1, candidate, state, selection};
    int flags[7];
    double jacobian[2] = {1.2, 1.6};
    CHECK(kausal_reselect(&set, v, jacobian, work, flags) == 0);
    /* A little worse than the other one is good enough. */
    jacobian[0] = 1.5; jacobian[1] = 1.3;
    CHECK(kausal_reselect(&set, v, jacobian, work, flags) == 0 && v[3] == 1.0);
    jacobian[0] = 1.9; jacobian[1] = 0.6;
    CHECK(kausal_reselect(&set, v, jacobian, work, flags) == 1);
    CHECK(v[3] == 0.0 && v[4] == 1.0 && v[2] == 0.8);
    /* What is not finite, or singular whatever the choice, changes nothing. */
    jacobian[0] = NAN;
    CHECK(kausal_reselect(&set, v, jacobian, work, flags) == 0);
    jacobian[0] = jacobian[1] = 0.0;
    CHECK(kausal_reselect(&set, v, jacobian, work, flags) == 0 && v[4] == 1.0);
    /* Columns 0 and 1 of [[1, 2, 3], [2, 4, 1]] are parallel; 0 and 2 determine theirs, and to take 1 instead of 0 gains
       a factor of 2. */
    static const kausal_state_set two = {2, 0, 3, 1, candidate, state, selection};
    double a[6] = {1.0, 2.0, 3.0, 2.0, 4.0, 1.0};
    static const int parallel[3] = {1, 1, 0}, allowed[3] = {1, 0, 1};
    int basic[3], basis[2], row, column;
    CHECK(kausal_basis(&two, parallel, a, basis, basic) == 0);
    double b[6] = {1.0, 2.0, 3.0, 2.0, 4.0, 1.0};
    CHECK(kausal_basis(&two, allowed, b, basis, basic) == 1 && basic[0] && !basic[1] && basic[2]);
    CHECK(fabs(kausal_gain(&two, b, basis, basic, &row, &column) - 2.0) < 1e-14);
    CHECK(column == 1 && basis[row] == 0);
    return 0;
}"#,
    );
}

/// Equations without full rank: what they determine is determined, the rest keeps its value; contradictions are told.
#[test]
fn deficient() {
    run(
        &[include_str!("../src/c/deficient.c")],
        r#"
int main(void)
{
    double size[3];
    int column[3];
    /* 0*x = 0 */
    double zero[1] = {0.0}, b[3] = {0.0}, x[3] = {4.0, 5.0, 6.0};
    CHECK(kausal_deficient(1, zero, b, x, size, column) == 0 && b[0] == 4.0);
    zero[0] = 0.0; b[0] = 1e-3;
    CHECK(kausal_deficient(1, zero, b, x, size, column) == 1);
    /* x + y = 7, 2 x + 2 y = 14, z = 1: whoever of x and y moves, the sum is right. */
    double a[9] = {1.0, 1.0, 0.0, 2.0, 2.0, 0.0, 0.0, 0.0, 1.0};
    b[0] = 7.0; b[1] = 14.0; b[2] = 1.0;
    CHECK(kausal_deficient(3, a, b, x, size, column) == 0);
    CHECK(fabs(b[0] + b[1] - 7.0) < 1e-14 && (b[0] == 4.0 || b[1] == 5.0) && fabs(b[2] - 1.0) < 1e-15);
    double again[9] = {1.0, 1.0, 0.0, 2.0, 2.0, 0.0, 0.0, 0.0, 1.0};
    b[0] = 7.0; b[1] = 15.0; b[2] = 1.0;
    CHECK(kausal_deficient(3, again, b, x, size, column) == 1);
    /* Regular ones are solved, too. */
    for (int round = 0; round < 50; round++) {
        double m[9], copy[9], right[3];
        for (int i = 0; i < 9; i++) m[i] = copy[i] = number();
        for (int i = 0; i < 3; i++) m[i*4] = copy[i*4] += 3.0;
        for (int i = 0; i < 3; i++) right[i] = b[i] = number();
        CHECK(kausal_deficient(3, m, b, x, size, column) == 0);
        for (int i = 0; i < 3; i++) {
            CHECK(fabs(copy[i*3]*b[0] + copy[i*3 + 1]*b[1] + copy[i*3 + 2]*b[2] - right[i]) < 1e-13);
        }
    }
    return 0;
}"#,
    );
}
