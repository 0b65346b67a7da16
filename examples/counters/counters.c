/*
 * Counts two ways to do the same: a sum over the elements above a threshold, with a branch for each
 * element and without. Takes the events as an argument:
 *     counters cycles,instructions,branches,branch-misses
 * What cannot be counted here is n/a, and the last lines say why.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <rooftop/counters.h>

enum { N = 1 << 20 };

static uint64_t with_branches(const uint32_t *v)
{
    uint64_t sum = 0;
    for (int i = 0; i < N; i++) {
        if (v[i] > UINT32_MAX / 2)
            sum += v[i];
        __asm__ volatile("" : "+r"(sum)); /* keeps the compiler from removing the branch */
    }
    return sum;
}

static uint64_t without(const uint32_t *v)
{
    uint64_t sum = 0;
    for (int i = 0; i < N; i++)
        sum += v[i] & -(uint32_t)(v[i] > UINT32_MAX / 2);
    return sum;
}

static uint64_t counted(const rooftop_counters *group, const char *what,
                        uint64_t (*work)(const uint32_t *), const uint32_t *v)
{
    rooftop_counts before, after;
    rooftop_counters_read(group, &before);
    uint64_t sum = work(v);
    rooftop_counters_read(group, &after);
    rooftop_counts d = rooftop_counts_between(&before, &after);
    printf("%-16s", what);
    for (unsigned i = 0; i < rooftop_counters_n(group); i++) {
        double n = rooftop_counts_scaled(&d, i);
        if (*rooftop_counters_why(group, i) || isnan(n))
            printf(" %16s", "n/a");
        else
            printf(" %16.0f", n);
    }
    printf("   %3.0f %% of the time\n", rooftop_counts_share(&d) * 100);
    return sum;
}

int main(int argc, char **argv)
{
    rooftop_counters *group =
        rooftop_counters_open(argc > 1 ? argv[1] : "cycles,instructions,branch-misses,task-clock");
    uint32_t *v = malloc(N * sizeof *v);
    if (!group || !v) {
        rooftop_counters_close(group);
        free(v);
        return 1;
    }
    for (uint32_t i = 0, x = 1; i < N; i++)
        v[i] = x = x * 1664525 + 1013904223;
    printf("%-16s", "");
    for (unsigned i = 0; i < rooftop_counters_n(group); i++)
        printf(" %16.16s", rooftop_counters_name(group, i));
    printf("\n");
    const uint64_t a = counted(group, "with branches", with_branches, v),
                   b = counted(group, "without", without, v);
    for (unsigned i = 0; i < rooftop_counters_n(group); i++)
        if (*rooftop_counters_why(group, i))
            printf("%s: %s\n", rooftop_counters_name(group, i), rooftop_counters_why(group, i));
    rooftop_counters_close(group);
    free(v);
    return a != b;
}
