/* Loops that must stay as they are, one a function. */
#include <stddef.h>
#include <stdint.h>

extern int more, read_one(int *);
#define EACH for (int i = 0; i < n; i++)

void breaks(int *a, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i])
            break;
}

void inner_break(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        while (more)
            break;
        a[i] = 1;
    }
}

void continues(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        if (a[i])
            continue;
        a[i] = 1;
    }
}

int returns(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        if (a[i])
            return i;
    }
    return 0;
}

void jumps(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        if (a[i])
            goto out;
    }
out:
    return;
}

void label(int *a, int n)
{
    for (int i = 0; i < n; i++) {
    again:
        a[i]++;
    }
}

void into(int *a, int n)
{
    switch (n)
        for (int i = 0; i < n; i++) {
        case 1:
            a[i]++;
        }
}

void adds(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        __sync_fetch_and_add(a, 1);
    }
}

void bound_written(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        a[i] = 1;
        n--;
    }
}

void bound_taken(int *a, int n)
{
    int *p = &n;
    for (int i = 0; i < n; i++)
        *p = a[i];
}

void bound_in_memory(int *a, const int *n)
{
    for (int i = 0; i < *n; i++)
        a[i] = 1;
}

void bound_elsewhere(int *a)
{
    for (int i = 0; i < more; i++)
        a[i] = 1;
}

void bound_called(int *a, int n)
{
    for (int i = 0; i < read_one(&n); i++)
        a[i] = 1;
}

void bound_with_counter(int *a)
{
    for (int i = 0; i < 40 - i; i++)
        a[i] = 1;
}

void counter_written(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        a[i] = 1;
        i += a[i];
    }
}

void counter_taken(int *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = read_one(&i);
}

void another_value(int *a, int n)
{
    for (unsigned i = 0; i < n; i++) /* of -1 the comparison makes a large number */
        a[i] = 1;
}

void unequal(int *a, int n)
{
    for (int i = 0; i != n; i++)
        a[i] = 1;
}

void step_varies(int *a, int n)
{
    for (int i = 0; i < n; i += n)
        a[i] = 1;
}

void step_back(int *a, int n)
{
    for (int i = 0; i < n; i--)
        a[i & 63] = 1;
}

void real(float *a, float n)
{
    for (float i = 0; i < n; i++)
        a[0] += i;
}

void pointers(int *a, int n)
{
    for (int *i = a, *end = a + n; i < end; i++)
        *i = 1;
}

void both(int *a, int n)
{
    for (int i = 0; i < n && a[i]; i++)
        a[i] = 1;
}

void keeps(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        static int count;
        a[i] = count++;
    }
}

void assembles(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        __asm__ volatile("");
        a[i] = 1;
    }
}

void of_a_macro(int *a, int n)
{
    EACH a[i] = 1;
}

void under_a_pragma(int *a, int n)
{
#pragma GCC unroll 2
    for (int i = 0; i < n; i++)
        a[i] = 1;
}

void under_a_condition(int *a, int n)
{
#if UNKNOWN
#else
    for (int i = 0; i < n; i++)
        a[i] = 1;
#endif
}

void around_a_condition(int *a, int n)
{
    for (int i = 0; i < n; i++) {
#if UNKNOWN
        a[i] = 2;
#endif
        a[i] = 1;
    }
}

void counts_lines(int *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = __COUNTER__;
}

void volatile_bound(int *a, int n)
{
    volatile int end = n;
    for (int i = 0; i < end; i++)
        a[i] = 1;
}

void forever(int *a, int n)
{
    for (int i = 0;; i++)
        a[i & 63] = n;
}

void no_step(int *a, int n)
{
    for (int i = 0; i < n;)
        a[i++] = 1;
}

struct box {
    int w, h, list[2];
    int *where;
};
extern void takes(struct box *);

void member_behind_a_pointer(int *a, const struct box *b)
{
    for (int i = 0; i < b->w; i++)
        a[i] = 1;
}

void member_written(int *a, struct box b)
{
    for (int i = 0; i < b.w; i++)
        a[i] = b.w--;
}

void struct_written(int *a, struct box b, struct box c)
{
    for (int i = 0; i < b.w; i++)
        b = c;
    a[0] = 1;
}

void struct_taken(int *a, struct box b)
{
    takes(&b);
    for (int i = 0; i < b.w; i++)
        a[i] = 1;
}

void member_taken(int *a, struct box b)
{
    a = &b.w;
    for (int i = 0; i < b.w; i++)
        a[i] = 1;
}

void array_in_it(int *a, struct box b)
{
    a = b.list;
    for (int i = 0; i < b.w; i++)
        a[i] = 1;
}

void other_member_of_a_union(int *a, int n)
{
    union {
        int n;
        float f;
    } u = {n};
    for (int i = 0; i < u.n; i++)
        u.f = (float)a[i];
}

void volatile_member(int *a, int n)
{
    struct {
        volatile int n;
    } s = {n};
    for (int i = 0; i < s.n; i++)
        a[i] = 1;
}

static struct box everywhere;
void global_struct(int *a)
{
    for (int i = 0; i < everywhere.w; i++)
        a[i] = 1;
}

void cast_of_real(int *a, float n)
{
    for (int i = 0; i < (int)n; i++)
        a[i] = 1;
}

void other_sign(int *a, int n)
{
    for (int i = 0; i < -*a; i++)
        a[i] = n;
}

void steps_in_the_bound(int *a, int n)
{
    int m = n;
    for (int i = 0; i < (n > 3 ? m-- : 2); i++)
        a[i] = 1;
}

void do_without_braces(int *a, int n)
{
    for (int i = 0; i < n; i++)
        do
            a[i]--;
        while (a[i] > 0);
}

#define TWICE(x) x; more = 1
void two_statements(int *a, int n)
{
    for (int i = 0; i < n; i++)
        TWICE(a[i]++);
}

void own_names(int *a, int n)
{
    int rooftop_s = 0;
    for (int i = 0; i < n; i++)
        rooftop_s += a[i];
    a[0] = rooftop_s;
}
