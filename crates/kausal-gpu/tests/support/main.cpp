
/* The kernel as a program of this machine: numbers come in a file and go to another one. */
#include <stdio.h>
#include <stdlib.h>

static double *numbers_of(FILE *file, size_t count)
{
    double *all = (double *)calloc(count + 1, sizeof(double));
    if (fread(all, sizeof(double), count, file) != count) exit(3);
    return all;
}

int main(int, char **arguments)
{
    FILE *in = fopen(arguments[1], "rb");
    if (!in) return 2;
    double *head = numbers_of(in, 12);
    const size_t runs = (size_t)head[0], columns = (size_t)head[1];
    kausal_work w;
    memset(&w, 0, sizeof w);
    w.runs = (unsigned)runs;
    w.points = (unsigned)head[2];
    w.grid_points = (unsigned)head[3];
    w.start = head[4];
    w.stop = head[5];
    w.tolerance = head[6];
    w.longest = head[7];
    w.same = head[8];
    w.most = (unsigned)head[9];
    const size_t asked = (size_t)head[10], traced = (size_t)head[11];
    w.columns = numbers_of(in, columns*runs);
    w.instants = numbers_of(in, w.points);
    w.grid = numbers_of(in, w.grid_points);
    fclose(in);
    const size_t count = asked*runs, trace = traced*w.grid_points*runs;
    w.numbers = (double *)calloc(count + 1, sizeof(double));
    w.traces = (double *)calloc(trace + 1, sizeof(double));
    w.ends = (double *)calloc(runs, sizeof(double));
    w.outcomes = (int *)calloc(runs, sizeof(int));
    w.steps = (unsigned *)calloc(runs, sizeof(unsigned));
    unsigned next = 0;
    w.next = &next;
    kausal_runs(w);
    FILE *out = fopen(arguments[2], "wb");
    if (!out) return 2;
    fwrite(w.numbers, sizeof(double), count, out);
    fwrite(w.traces, sizeof(double), trace, out);
    fwrite(w.ends, sizeof(double), runs, out);
    for (size_t i = 0; i < runs; i++) {
        const double pair[2] = {(double)w.outcomes[i], (double)w.steps[i]};
        fwrite(pair, sizeof(double), 2, out);
    }
    fclose(out);
    return 0;
}
