/*
 * Chooses an instruction set for vectors of several lengths: the widest that the CPU has and that
 * the vector is long enough to fill. What this CPU has goes to standard error, because it differs
 * between machines; what each kind of CPU should take is the same everywhere.
 */
#include <stdio.h>

#include <rooftop/brick.h>

enum { CHAIN = 4 };
/* The instruction sets, the widest first, and how many floats one of their registers holds. */
static const struct {
    const char *name;
    struct {
        enum rooftop_isa isa;
        int lanes;
    } has[CHAIN];
} cpus[] = {
    {"x86-64, new", {{ROOFTOP_AVX512, 16}, {ROOFTOP_AVX2, 8}, {ROOFTOP_SSE2, 4}}},
    {"x86-64", {{ROOFTOP_AVX2, 8}, {ROOFTOP_SSE2, 4}}},
    {"arm64", {{ROOFTOP_NEON, 4}}},
};
enum { CPUS = sizeof cpus / sizeof *cpus };

/* Four registers at least, so that the sums of a dot product hide the latency of an addition. */
static enum rooftop_isa choose(long n, int cpu)
{
    for (int i = 0; i < CHAIN && cpus[cpu].has[i].lanes; i++)
        if (n >= 4L * cpus[cpu].has[i].lanes)
            return cpus[cpu].has[i].isa;
    return ROOFTOP_SCALAR;
}

int main(void)
{
    static const long lengths[] = {1, 15, 16, 32, 64, 1000, 1000000};
    fprintf(stderr, "this CPU: %s\n", rooftop_isa_name(rooftop_detect_backend()));
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        printf("%8ld elements:", lengths[i]);
        for (int cpu = 0; cpu < CPUS; cpu++)
            printf("  %s: %s", cpus[cpu].name, rooftop_isa_name(choose(lengths[i], cpu)));
        printf("\n");
    }
    return fflush(stdout) != 0;
}
