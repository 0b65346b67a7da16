/*
 * counted N: a loop of N turns, two instructions a turn, counted by the program itself: with a
 * group of its own (rooftop/counters.h) and, where ROOFTOP_BRICK_COUNTERS asks for it, as bricks
 * "Short" (N turns) and "Long" (3 N). Prints what a group of its own counted in N and in 3 N turns,
 * and how it was read.
 */
#include <stdio.h>
#include <stdlib.h>

#include <rooftop/brick.h>
#include <rooftop/counters.h>

static void turn(unsigned long n)
{
    __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n)::"cc");
}

static rooftop_counts count(const rooftop_counters *group, unsigned long n)
{
    rooftop_counts before, after;
    rooftop_counters_read(group, &before);
    turn(n);
    rooftop_counters_read(group, &after);
    return rooftop_counts_between(&before, &after);
}

static void in_brick(rooftop_id id, unsigned long n)
{
    rooftop_timer t = rooftop_start(id);
    turn(n);
    rooftop_stop(t, n);
}

int main(int argc, char **argv)
{
    const unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    rooftop_counters *group = rooftop_counters_open("instructions,cycles");
    for (unsigned i = 0; i < rooftop_counters_n(group); i++)
        printf("%s: %s\n", rooftop_counters_name(group, i), rooftop_counters_why(group, i));
    count(group, n); /* pages of code that were not there */
    for (int i = 0; i < 3; i++) {
        const int fast = rooftop_counters_fast(group);
        rooftop_counts once = count(group, n), thrice = count(group, 3 * n);
        printf("fast %d instructions %llu %llu cycles %llu %llu share %.3f\n", fast,
               (unsigned long long)once.value[0], (unsigned long long)thrice.value[0],
               (unsigned long long)once.value[1], (unsigned long long)thrice.value[1],
               rooftop_counts_share(&thrice));
    }
    rooftop_counters_close(group);
    const rooftop_id small = rooftop_brick("Short"), large = rooftop_brick("Long");
    for (int i = 0; i < 4; i++) {
        in_brick(small, n);
        in_brick(large, 3 * n);
    }
    static char text[1 << 14];
    rooftop_report(text, sizeof text);
    fputs(text, stdout);
    return 0;
}
