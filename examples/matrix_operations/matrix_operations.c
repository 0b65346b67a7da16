/*
 * Products, sums and transposes of matrices, each a brick. The elements are small whole numbers, so
 * that every sum is exact: the output is the same with every order of additions, and checked
 * against algebra: (AB)' = B'A', A(B + C) = AB + AC.
 */
#include <stdio.h>
#include <string.h>

#include <rooftop/brick.h>

enum { N = 96, BLOCK = 32 };
typedef float matrix[N][N];

static rooftop_id gemm, add, transpose;

static void fill(matrix m, int seed)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            m[i][j] = (float)((i * 7 + j * 13 + seed) % 11 - 5);
}

/* Works in blocks that fit into the first-level cache. */
static void multiply(matrix out, matrix a, matrix b)
{
    rooftop_timer t = rooftop_start(gemm);
    memset(out, 0, sizeof(matrix));
    for (int k0 = 0; k0 < N; k0 += BLOCK)
        for (int i = 0; i < N; i++)
            for (int k = k0; k < k0 + BLOCK; k++)
                for (int j = 0; j < N; j++)
                    out[i][j] += a[i][k] * b[k][j];
    rooftop_stop_work(t, N * N, 3 * sizeof(matrix), 2ULL * N * N * N);
}

static void sum(matrix out, matrix a, matrix b)
{
    rooftop_timer t = rooftop_start(add);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            out[i][j] = a[i][j] + b[i][j];
    rooftop_stop_work(t, N * N, 3 * sizeof(matrix), N * N);
}

static void flip(matrix out, matrix a)
{
    rooftop_timer t = rooftop_start(transpose);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            out[j][i] = a[i][j];
    rooftop_stop_work(t, N * N, 2 * sizeof(matrix), 0);
}

static long trace(matrix m)
{
    long n = 0;
    for (int i = 0; i < N; i++)
        n += (long)m[i][i];
    return n;
}

static int check(const char *what, matrix a, matrix b)
{
    int same = 1;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            same &= a[i][j] == b[i][j];
    printf("%-18s %s, trace %ld\n", what, same ? "holds" : "WRONG", trace(a));
    return same;
}

int main(void)
{
    static matrix a, b, c, ab, ac, left, right, ta, tb;
    gemm = rooftop_register("gemm", ROOFTOP_OTHER);
    add = rooftop_register("add", ROOFTOP_OTHER);
    transpose = rooftop_register("transpose", ROOFTOP_OTHER);
    fill(a, 1);
    fill(b, 2);
    fill(c, 3);
    multiply(ab, a, b);
    multiply(ac, a, c);

    flip(left, ab);
    flip(ta, a);
    flip(tb, b);
    multiply(right, tb, ta);
    int right_all = check("(AB)' = B'A'", left, right);

    sum(left, b, c);
    multiply(right, a, left);
    sum(left, ab, ac);
    right_all &= check("A(B+C) = AB+AC", left, right);
    return !right_all || fflush(stdout) != 0;
}
