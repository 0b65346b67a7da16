// Where data hides: module variables, pointers in memory, sizes of access.
#include "device.h"

__device__ uint module_counter = 40;
__device__ float module_table[64];

KERNEL module_variable(float *out, int n)
{
    int i = global_x();
    if (i == 0)
        module_counter += 2;
    if (i < n)
        out[i] = module_table[i & 63] + (float)i;
}

struct node {
    struct node *next;
    float value;
};

// Follows a list in memory.
KERNEL pointer_chase(struct node **heads, float *out, int n)
{
    int i = global_x();
    if (i >= n)
        return;
    float sum = 0;
    for (struct node *at = heads[i]; at; at = at->next)
        sum += at->value;
    out[i] = sum;
}

// Loads and stores of 1, 2, 4, 8 and 16 bytes.
typedef uint uint4 __attribute__((ext_vector_type(4)));
KERNEL copy_widths(const unsigned char *b, const short *s, const uint4 *q, unsigned char *ob, short *os, uint4 *oq, int n)
{
    int i = global_x();
    if (i >= n)
        return;
    ob[i] = b[i] + 1;
    os[i] = s[i] - 1;
    oq[i] = q[i].wzyx;
}

// Writes where it is told to: for faults.
KERNEL poke(uint *at, uint value)
{
    *at = value;
}

// An instruction that is none.
KERNEL illegal(uint *p)
{
    __asm__ volatile(".long 0xbfffdead");
    *p = 1;
}
