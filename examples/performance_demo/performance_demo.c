/*
 * The same work done two ways, each a brick: a naive way and a better one. It prints what they
 * computed, which must be equal; how long they took is for `rooftop report bricks` to show.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <rooftop/brick.h>

enum { N = 512, VALUES = 1 << 16 };

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Sums a table by columns: each step touches another cache line. */
static uint64_t by_columns(uint32_t (*table)[N])
{
    uint64_t sum = 0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            sum += (uint64_t)table[i][j] * (uint32_t)(i ^ j);
    return sum;
}
static uint64_t by_rows(uint32_t (*table)[N])
{
    uint64_t sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += (uint64_t)table[i][j] * (uint32_t)(i ^ j);
    return sum;
}

/* Counts the values above a limit: with a branch that cannot be predicted, and without one. */
static uint64_t with_branch(uint32_t (*table)[N])
{
    uint64_t n = 0;
    const uint32_t *v = &table[0][0];
    for (int i = 0; i < VALUES; i++)
        if (v[i] & 1)
            n += v[i] % 7;
    return n;
}
static uint64_t without_branch(uint32_t (*table)[N])
{
    uint64_t n = 0;
    const uint32_t *v = &table[0][0];
    for (int i = 0; i < VALUES; i++)
        n += (uint64_t)(v[i] & 1) * (v[i] % 7);
    return n;
}

static uint64_t timed(const char *name, uint64_t (*work)(uint32_t (*)[N]), uint32_t (*table)[N])
{
    rooftop_timer t = rooftop_start(rooftop_register(name, ROOFTOP_OTHER));
    uint64_t result = work(table);
    rooftop_stop(t, N * N);
    return result;
}

int main(void)
{
    uint32_t(*table)[N] = malloc(sizeof(uint32_t[N][N])), state = 1;
    if (!table)
        return 1;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            table[i][j] = next(&state);
    uint64_t columns = timed("by_columns", by_columns, table);
    uint64_t rows = timed("by_rows", by_rows, table);
    uint64_t branch = timed("with_branch", with_branch, table);
    uint64_t straight = timed("without_branch", without_branch, table);
    free(table);
    printf("sum: %llu by columns, %llu by rows\n", (unsigned long long)columns,
           (unsigned long long)rows);
    printf("sevens: %llu with a branch, %llu without\n", (unsigned long long)branch,
           (unsigned long long)straight);
    return columns != rows || branch != straight || fflush(stdout) != 0;
}
