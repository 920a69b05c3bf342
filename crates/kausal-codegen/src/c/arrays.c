/* An array: its sizes and its elements, the last subscript varying fastest. */
#define KAUSAL_RANK 8
typedef struct kausal_array {
    int rank;
    int size[KAUSAL_RANK];
    int room; /* elements there is memory for */
    kausal_element *data;
} kausal_array;

/* The number of elements. */
static int kausal_count(kausal_array x)
{
    int count = 1;
    for (int k = 0; k < x.rank; k++) count *= x.size[k];
    return count;
}

/* A whole number that is a size. */
static int kausal_size(kausal_arena *a, const char *what, double value)
{
    if (value >= 0.0 && value == floor(value) && value <= 16777216.0) return (int)value;
    kausal_fail(a, "%s must be a whole number that makes sense, not %g", what, value);
    return 0;
}

/* A result of Integer arithmetic must be exact. */
static void kausal_exact(kausal_arena *a, double value)
{
    if (!(fabs(value) <= 9007199254740992.0)) kausal_fail(a, "%g is too large for an Integer", value);
}

/* A new array; its elements are not set. Without elements it has no place. */
static kausal_array kausal_new(kausal_arena *a, int rank, const int *size)
{
    kausal_array x = {0};
    double count = 1.0;
    x.rank = rank;
    for (int k = 0; k < rank; k++) {
        x.size[k] = size[k];
        count *= size[k];
    }
    if (count > 16777216.0) {
        kausal_fail(a, "an array of more than 16777216 elements");
    } else if (count > 0.0) {
        x.room = (int)count;
        x.data = kausal_take(a, (size_t)x.room);
    }
    return x;
}

/* A new vector; its elements are not set. */
static kausal_array kausal_vector(kausal_arena *a, int size)
{
    return kausal_new(a, 1, &size);
}

/* A number as an array without dimensions. */
static kausal_array kausal_one(kausal_arena *a, double number)
{
    kausal_array x = kausal_new(a, 0, 0);
    if (!a->failed) x.data[0].number = number;
    return x;
}

/* A string as an array without dimensions. */
static kausal_array kausal_one_text(kausal_arena *a, const char *text)
{
    kausal_array x = kausal_new(a, 0, 0);
    if (!a->failed) x.data[0].text = text;
    return x;
}

/* Have two arrays the same sizes? */
static int kausal_alike(kausal_array x, kausal_array y)
{
    if (x.rank != y.rank) return 0;
    for (int k = 0; k < x.rank; k++) {
        if (x.size[k] != y.size[k]) return 0;
    }
    return 1;
}

/* Two arrays must have the same sizes. */
static void kausal_match(kausal_arena *a, const char *what, kausal_array x, kausal_array y)
{
    if (!kausal_alike(x, y)) kausal_fail(a, "%s: the sizes of arrays differ", what);
}

/* A subscript from 0 of a dimension of this size. */
static int kausal_subscript(kausal_arena *a, double index, int dimension, int size)
{
    if (index >= 1.0 && index <= size && index == floor(index)) return (int)index - 1;
    kausal_fail(a, "subscript %g is outside 1:%d in dimension %d", index, size, dimension);
    return 0;
}

/* A declared size and the size there is. */
static void kausal_declared(kausal_arena *a, const char *name, int dimension, double declared, int size)
{
    if (declared != size) {
        kausal_fail(a, "%s: dimension %d has size %d and should have %g", name, dimension, size, declared);
    }
}

/* All elements zero, or the number of the default. */
static void kausal_clear(kausal_array x, double number)
{
    for (int k = 0, n = kausal_count(x); k < n; k++) x.data[k].number = number;
}

/* All elements the empty string. */
static void kausal_clear_texts(kausal_array x)
{
    for (int k = 0, n = kausal_count(x); k < n; k++) x.data[k].text = "";
}

/* Makes room in a variable for an array of the sizes of another. */
static void kausal_room(kausal_arena *a, kausal_array *x, kausal_array value)
{
    const int count = kausal_count(value);
    if (count > x->room) {
        const int room = 2*x->room > count ? 2*x->room : count;
        kausal_element *const data = kausal_take(a, (size_t)room);
        if (a->failed) return;
        x->room = room;
        x->data = data;
    }
    for (int k = 0; k < x->rank; k++) x->size[k] = value.size[k];
}

/* May a variable take a value? Returns 1 if so, 0 if there is nothing to do or it fails. */
static int kausal_takes(kausal_arena *a, const char *name, const kausal_array *x, kausal_array value, int flexible)
{
    if (flexible || kausal_alike(*x, value)) return 1;
    if (kausal_count(*x) != 0 || kausal_count(value) != 0) kausal_fail(a, "%s: the sizes differ", name);
    return 0;
}

/* x := value */
static void kausal_store(kausal_arena *a, const char *name, kausal_array *x, kausal_array value, int flexible)
{
    if (!kausal_takes(a, name, x, value, flexible)) return;
    kausal_room(a, x, value);
    if (a->failed) return;
    const int count = kausal_count(value);
    if (count > 0) memmove(x->data, value.data, (size_t)count*sizeof *value.data);
}

/* A copy of an array. */
static kausal_array kausal_copy(kausal_arena *a, kausal_array x)
{
    kausal_array copy = kausal_new(a, x.rank, x.size);
    const int count = a->failed ? 0 : kausal_count(x);
    if (count > 0) memcpy(copy.data, x.data, (size_t)count*sizeof *x.data);
    return copy;
}

/* A subscript: all of a dimension (kind 0), one element (1), or those a vector names (2). */
typedef struct kausal_index {
    int kind;
    double one;
    kausal_array many;
} kausal_index;

/* Where the elements are that subscripts choose, as numbers; their sizes are those of the result. */
static kausal_array kausal_places(kausal_arena *a, kausal_array x, int count, const kausal_index *index)
{
    int size[KAUSAL_RANK] = {0};
    int rank = 0;
    for (int k = 0; k < x.rank; k++) {
        if (k >= count || index[k].kind == 0) size[rank++] = x.size[k];
        else if (index[k].kind == 2) size[rank++] = index[k].many.size[0];
    }
    kausal_array places = kausal_new(a, rank, size);
    for (int k = 0; k < count && k < x.rank; k++) {
        if (index[k].kind == 1) kausal_subscript(a, index[k].one, k + 1, x.size[k]);
        for (int q = 0; index[k].kind == 2 && q < index[k].many.size[0]; q++) {
            kausal_subscript(a, index[k].many.data[q].number, k + 1, x.size[k]);
        }
    }
    if (a->failed || kausal_count(places) == 0) return places;
    int total = 1;
    places.data[0].number = 0.0;
    for (int k = 0; k < x.rank; k++) {
        const int kind = k < count ? index[k].kind : 0;
        const int wide = kind == 0 ? x.size[k] : kind == 1 ? 1 : index[k].many.size[0];
        /* From the last one on, so that none is overwritten before it is read. */
        for (int p = total - 1; p >= 0; p--) {
            const double before = places.data[p].number*x.size[k];
            for (int q = wide - 1; q >= 0; q--) {
                const double at = kind == 0 ? q : (kind == 1 ? index[k].one : index[k].many.data[q].number) - 1.0;
                places.data[p*wide + q].number = before + at;
            }
        }
        total *= wide;
    }
    return places;
}

/* x[index, ...] */
static kausal_array kausal_select(kausal_arena *a, kausal_array x, int count, const kausal_index *index)
{
    kausal_array result = kausal_places(a, x, count, index);
    if (a->failed) return result;
    for (int k = 0, n = kausal_count(result); k < n; k++) {
        result.data[k] = x.data[(int)result.data[k].number];
    }
    return result;
}

/* x[index, ...] := value */
static void kausal_assign(kausal_arena *a, kausal_array *x, int count, const kausal_index *index, kausal_array value)
{
    const kausal_array places = kausal_places(a, *x, count, index);
    const int n = a->failed ? 0 : kausal_count(places);
    if (a->failed || (n == 0 && kausal_count(value) == 0 && places.rank == value.rank)) return;
    kausal_match(a, ":=", places, value);
    if (!a->failed && n > 0 && value.data == x->data) value = kausal_copy(a, value);
    if (a->failed) return;
    for (int k = 0; k < n; k++) x->data[(int)places.data[k].number] = value.data[k];
}

/* {a, b, ...} of arrays */
static kausal_array kausal_construct(kausal_arena *a, int count, const kausal_array *part)
{
    int size[KAUSAL_RANK + 1] = {0};
    size[0] = count;
    for (int k = 0; k < part[0].rank; k++) size[k + 1] = part[0].size[k];
    kausal_array x = kausal_new(a, part[0].rank + 1, size);
    const int each = kausal_count(part[0]);
    for (int p = 0; p < count; p++) {
        kausal_match(a, "{...}", part[0], part[p]);
        if (a->failed) return x;
        for (int k = 0; k < each; k++) x.data[p*each + k] = part[p].data[k];
    }
    return x;
}

/* Sizes of 1 are added on the right. */
static kausal_array kausal_promote(kausal_array x, int rank)
{
    for (int k = x.rank; k < rank; k++) x.size[k] = 1;
    x.rank = rank;
    return x;
}

/* cat(dimension, a, b, ...); the dimension counts from 0 and the arrays have dimensions enough. */
static kausal_array kausal_cat(kausal_arena *a, int along, int count, const kausal_array *part)
{
    int size[KAUSAL_RANK] = {0};
    const int rank = part[0].rank;
    int total = 0, outer = 1;
    for (int p = 0; p < count; p++) {
        for (int k = 0; k < rank; k++) {
            if (k != along && part[p].size[k] != part[0].size[k]) kausal_fail(a, "cat: the sizes of arrays differ");
        }
        total += part[p].size[along];
    }
    for (int k = 0; k < rank; k++) {
        size[k] = k == along ? total : part[0].size[k];
        if (k < along) outer *= size[k];
    }
    kausal_array x = kausal_new(a, rank, size);
    if (a->failed) return x;
    int at = 0;
    for (int row = 0; row < outer; row++) {
        for (int p = 0; p < count; p++) {
            int chunk = 1;
            for (int k = along; k < rank; k++) chunk *= part[p].size[k];
            for (int k = 0; k < chunk; k++) x.data[at++] = part[p].data[row*chunk + k];
        }
    }
    return x;
}

/* How many elements a range has that spans from 0 to span. */
static int kausal_range_length(kausal_arena *a, double span, double step)
{
    const double steps = span/step;
    if (step == 0.0 || steps != steps) {
        kausal_fail(a, "the step of a range must be a number that makes sense, not %g", step);
        return 0;
    }
    if (steps < 0.0) return 0;
    return kausal_size(a, "the length of a range", floor(steps + 8.8817841970012523e-16*steps)) + 1;
}

/* start : step : stop */
static kausal_array kausal_range(kausal_arena *a, double start, double step, double stop)
{
    const int count = kausal_range_length(a, stop + -start, step);
    kausal_array x = kausal_vector(a, a->failed ? 0 : count);
    if (a->failed) return x;
    for (int k = 0; k < count; k++) x.data[k].number = start + k*step;
    return x;
}

/* linspace(first, last, count) */
static kausal_array kausal_linspace(kausal_arena *a, double first, double last, double count)
{
    const int n = kausal_size(a, "the length of linspace", count);
    if (n < 2) kausal_fail(a, "the length of linspace must be at least 2, not %g", count);
    kausal_array x = kausal_vector(a, a->failed ? 0 : n);
    if (a->failed) return x;
    const double span = last + -first;
    x.data[0].number = first;
    for (int k = 1; k < n - 1; k++) x.data[k].number = first + span*((double)k/(double)(n - 1));
    x.data[n - 1].number = last;
    return x;
}

/* Products of vectors and matrices. */
static kausal_array kausal_product(kausal_arena *a, kausal_array x, kausal_array y)
{
    const int rows = x.rank == 1 ? 1 : x.size[0];
    const int inner = x.size[x.rank - 1];
    const int columns = y.rank == 1 ? 1 : y.size[1];
    int size[2] = {0, 0};
    int rank = 0;
    if (x.rank == 2) size[rank++] = rows;
    if (y.rank == 2) size[rank++] = columns;
    if (inner != y.size[0]) kausal_fail(a, "product of arrays: the sizes differ");
    kausal_array z = kausal_new(a, rank, size);
    if (a->failed) return z;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            double sum = 0.0;
            for (int k = 0; k < inner; k++) {
                const double term = x.data[i*inner + k].number*y.data[k*columns + j].number;
                sum = k == 0 ? term : sum + term;
            }
            z.data[i*columns + j].number = sum;
        }
    }
    return z;
}

/* identity(n) */
static kausal_array kausal_identity(kausal_arena *a, int n)
{
    const int size[2] = {n, n};
    kausal_array x = kausal_new(a, 2, size);
    if (a->failed) return x;
    for (int k = 0; k < n*n; k++) x.data[k].number = k % (n + 1) == 0 ? 1.0 : 0.0;
    return x;
}

/* A square matrix is needed. */
static void kausal_square(kausal_arena *a, const char *what, kausal_array x)
{
    if (x.size[0] != x.size[1]) kausal_fail(a, "%s needs a square matrix", what);
}

/* The power of a square matrix: squares are multiplied in from the lowest bit up. */
static kausal_array kausal_matrix_power(kausal_arena *a, kausal_array x, double exponent)
{
    int n = kausal_size(a, "the exponent of a matrix", exponent);
    kausal_square(a, "the power of a matrix", x);
    if (a->failed || n == 0) return kausal_identity(a, a->failed ? 0 : x.size[0]);
    kausal_array power = x;
    int any = 0;
    for (;;) {
        if (n % 2 == 1) {
            power = any ? kausal_product(a, power, x) : x;
            any = 1;
        }
        n /= 2;
        if (n == 0 || a->failed) return power;
        x = kausal_product(a, x, x);
        if (a->failed) return x;
    }
}

/* transpose(x) */
static kausal_array kausal_transpose(kausal_arena *a, kausal_array x)
{
    int size[KAUSAL_RANK];
    memcpy(size, x.size, sizeof size);
    size[0] = x.size[1];
    size[1] = x.size[0];
    kausal_array y = kausal_new(a, x.rank, size);
    if (a->failed) return y;
    int block = 1;
    for (int k = 2; k < x.rank; k++) block *= x.size[k];
    for (int j = 0; j < size[0]; j++) {
        for (int i = 0; i < size[1]; i++) {
            for (int k = 0; k < block; k++) {
                y.data[(j*size[1] + i)*block + k] = x.data[(i*size[0] + j)*block + k];
            }
        }
    }
    return y;
}

/* size(x) */
static kausal_array kausal_sizes(kausal_arena *a, kausal_array x)
{
    kausal_array y = kausal_vector(a, x.rank);
    if (a->failed) return y;
    for (int k = 0; k < x.rank; k++) y.data[k].number = x.size[k];
    return y;
}

/* size(x, dimension) */
static double kausal_size_of(kausal_arena *a, kausal_array x, double dimension)
{
    const int k = kausal_size(a, "the dimension of size", dimension);
    if (k >= 1 && k <= x.rank) return x.size[k - 1];
    kausal_fail(a, "size needs an existing dimension, not %g", dimension);
    return 0.0;
}

/* fill(value, n, m, ...) */
static kausal_array kausal_fill(kausal_arena *a, kausal_array value, int count, const double *sizes)
{
    int size[2*KAUSAL_RANK] = {0};
    for (int k = 0; k < count; k++) size[k] = kausal_size(a, "the size of fill", sizes[k]);
    for (int k = 0; k < value.rank; k++) size[count + k] = value.size[k];
    kausal_array x = kausal_new(a, count + value.rank, size);
    const int each = kausal_count(value);
    if (a->failed || each == 0) return x;
    for (int k = 0, n = kausal_count(x); k < n; k++) x.data[k] = value.data[k % each];
    return x;
}

/* diagonal(v) */
static kausal_array kausal_diagonal(kausal_arena *a, kausal_array v)
{
    const int n = v.size[0];
    const int size[2] = {n, n};
    kausal_array x = kausal_new(a, 2, size);
    if (a->failed) return x;
    for (int k = 0; k < n*n; k++) x.data[k].number = k % (n + 1) == 0 ? v.data[k/(n + 1)].number : 0.0;
    return x;
}

/* outerProduct(x, y) */
static kausal_array kausal_outer(kausal_arena *a, kausal_array x, kausal_array y)
{
    const int size[2] = {x.size[0], y.size[0]};
    kausal_array z = kausal_new(a, 2, size);
    if (a->failed) return z;
    for (int i = 0; i < size[0]; i++) {
        for (int j = 0; j < size[1]; j++) z.data[i*size[1] + j].number = x.data[i].number*y.data[j].number;
    }
    return z;
}

/* symmetric(x) */
static kausal_array kausal_symmetric(kausal_arena *a, kausal_array x)
{
    kausal_square(a, "symmetric", x);
    kausal_array y = kausal_new(a, 2, x.size);
    if (a->failed) return y;
    const int n = x.size[0];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) y.data[i*n + j] = x.data[i < j ? i*n + j : j*n + i];
    }
    return y;
}

/* A vector of size 3 is needed. */
static void kausal_three(kausal_arena *a, const char *what, kausal_array x)
{
    if (x.size[0] != 3) kausal_fail(a, "%s needs vectors of size 3", what);
}

/* cross(x, y) */
static kausal_array kausal_cross(kausal_arena *a, kausal_array x, kausal_array y)
{
    kausal_three(a, "cross", x);
    kausal_three(a, "cross", y);
    kausal_array z = kausal_vector(a, 3);
    if (a->failed) return z;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double minus = x.data[j].number*y.data[i].number;
        z.data[k].number = x.data[i].number*y.data[j].number - minus;
    }
    return z;
}

/* skew(x) */
static kausal_array kausal_skew(kausal_arena *a, kausal_array x)
{
    const int size[2] = {3, 3};
    kausal_three(a, "skew", x);
    kausal_array y = kausal_new(a, 2, size);
    if (a->failed) return y;
    const double x1 = x.data[0].number, x2 = x.data[1].number, x3 = x.data[2].number;
    const double all[9] = {0.0, -x3, x2, x3, 0.0, -x1, -x2, x1, 0.0};
    for (int k = 0; k < 9; k++) y.data[k].number = all[k];
    return y;
}

/* scalar(x): every size must be 1. */
static kausal_element kausal_only(kausal_arena *a, kausal_array x)
{
    kausal_element none = {0.0};
    for (int k = 0; k < x.rank; k++) {
        if (x.size[k] != 1) {
            kausal_fail(a, "scalar needs exactly one element");
            return none;
        }
    }
    return x.data[0];
}

/* vector(x): at most one size may be above 1. */
static kausal_array kausal_as_vector(kausal_arena *a, kausal_array x)
{
    int larger = 0;
    for (int k = 0; k < x.rank; k++) larger += x.size[k] > 1;
    if (larger > 1) kausal_fail(a, "vector needs at most one dimension larger than 1");
    x.size[0] = kausal_count(x);
    x.rank = 1;
    return x;
}

/* matrix(x): sizes of 1 are removed on the right or added there. */
static kausal_array kausal_as_matrix(kausal_arena *a, kausal_array x)
{
    for (int k = 2; k < x.rank; k++) {
        if (x.size[k] != 1) kausal_fail(a, "matrix needs size 1 in all dimensions but the first two");
    }
    return kausal_promote(x, 2);
}

/* The sum of all elements. */
static double kausal_sum(kausal_array x)
{
    const int n = kausal_count(x);
    double sum = n > 0 ? x.data[0].number : 0.0;
    for (int k = 1; k < n; k++) sum = sum + x.data[k].number;
    return sum;
}

/* The product of all elements. */
static double kausal_product_of(kausal_array x)
{
    const int n = kausal_count(x);
    double product = n > 0 ? x.data[0].number : 1.0;
    for (int k = 1; k < n; k++) product = product*x.data[k].number;
    return product;
}

/* The smallest element, or what it is without elements. */
static double kausal_min_of(kausal_array x, double empty)
{
    const int n = kausal_count(x);
    double best = n > 0 ? x.data[0].number : empty;
    for (int k = 1; k < n; k++) {
        const double next = x.data[k].number;
        if (next < best || next != next) best = next;
    }
    return best;
}

/* The largest element, or what it is without elements. */
static double kausal_max_of(kausal_array x, double empty)
{
    const int n = kausal_count(x);
    double best = n > 0 ? x.data[0].number : empty;
    for (int k = 1; k < n; k++) {
        const double next = x.data[k].number;
        if (next > best || next != next) best = next;
    }
    return best;
}

/* Puts the value of a round behind those of earlier rounds; the first one makes room for all. */
static void kausal_gather(kausal_arena *a, kausal_array *all, int round, kausal_array value)
{
    const int each = kausal_count(value);
    const int front = all->rank - value.rank;
    if (round == 0) {
        for (int k = 0; k < value.rank; k++) all->size[front + k] = value.size[k];
        *all = kausal_new(a, all->rank, all->size);
    }
    for (int k = 0; k < value.rank; k++) {
        if (all->size[front + k] != value.size[k]) kausal_fail(a, "{...}: the sizes of arrays differ");
    }
    if (a->failed) return;
    for (int k = 0; k < each; k++) all->data[round*each + k] = value.data[k];
}

/* Adds the value of a round to the sum of earlier rounds. */
static void kausal_accumulate(kausal_arena *a, kausal_array *sum, int round, kausal_array value)
{
    const int n = kausal_count(value);
    if (round == 0) {
        *sum = kausal_new(a, value.rank, value.size);
        for (int k = 0; k < n && !a->failed; k++) sum->data[k] = value.data[k];
        return;
    }
    kausal_match(a, "element-wise operator", *sum, value);
    if (a->failed) return;
    for (int k = 0; k < n; k++) sum->data[k].number = sum->data[k].number + value.data[k].number;
}
