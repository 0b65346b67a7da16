/* Loops that may be unrolled, one a function, but what they add to must stay one variable. */
#include <stddef.h>
#include <stdint.h>

extern void takes(int *);
extern int more;
#define ADD(to, what) to += what

void read_in_it(int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        a[i] = s;
    }
}

void set_in_it(int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        if (a[i] == 9)
            s = 0;
    }
    a[0] = s;
}

void two_signs(int *a, int n)
{
    unsigned s = 0;
    for (int i = 0; i < n; i++) {
        s += (unsigned)a[i];
        s *= 3;
    }
    a[0] = (int)s;
}

void real_into_whole(int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += 0.5f * (float)a[i];
    a[0] = s;
}

void wider(int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += (long)a[i] << 20;
    a[0] = s;
}

void address_taken(int *a, int n)
{
    int s = 0;
    takes(&s);
    for (int i = 0; i < n; i++)
        s += a[i];
    a[0] = s;
}

void global(int *a, int n)
{
    for (int i = 0; i < n; i++)
        more += a[i];
}

void keeps(int *a, int n)
{
    static int s;
    for (int i = 0; i < n; i++)
        s += a[i];
    a[0] = s;
}

void volatile_sum(int *a, int n)
{
    volatile int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    a[0] = s;
}

void in_memory(int *a, int n, int *s)
{
    for (int i = 0; i < n; i++)
        *s += a[i];
}

void value_taken(int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        a[i] = (s += a[i]);
}

void condition(int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        if (s += a[i])
            a[i] = 0;
}

void counted_in_a_condition(int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        if (s++)
            a[i] = 0;
}

void doubled(int *a, int n)
{
    unsigned s = (unsigned)a[0];
    for (int i = 0; i < n; i++)
        s += s;
    a[0] = (int)s;
}

void doubled_and_added(int *a, int n)
{
    unsigned s = (unsigned)a[0];
    for (int i = 0; i < n; i++)
        s = s + s * 2;
    a[0] = (int)s;
}

void taken_from(int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s = a[i] - s;
    a[0] = s;
}

void rest_of(int *a, int n)
{
    unsigned s = 1000;
    for (int i = 0; i < n; i++)
        s /= 3;
    for (int i = 0; i < n; i++)
        s <<= 1;
    a[0] = (int)s;
}

void truth(int *a, int n)
{
    _Bool s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    a[0] = s;
}

void with_a_comma(int *a, int n)
{
    int s = 0, t = 0;
    for (int i = 0; i < n; i++)
        s += a[i], t += s;
    a[0] = t;
}

void by_a_macro(int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        ADD(s, a[i]);
    }
    a[0] = s;
}

void divided(int *a, int n)
{
    float s = 1;
    for (int i = 0; i < n; i++)
        s /= (float)a[i];
    a[0] = (int)s;
}

void another(int *a, int n)
{
    int s = 0, t = 0;
    for (int i = 0; i < n; i++)
        s = t + a[i];
    a[0] = s;
}
