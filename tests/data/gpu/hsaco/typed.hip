// Arguments of many types, by mangled names; every hidden argument; variables of every sort.
#include "device.h"

struct pair {
    int a;
    float b;
    double c;
};

namespace ns
{
template <typename T>
__global__ void scale(T *p, const float *q, T by, struct pair s, unsigned char *flags, half h, unsigned long n)
{
    p[local_x()] *= by * (T)s.a * (T)q[0] * (T)h * (T)n + (T)flags[1];
}
}
template __global__ void ns::scale<float>(float *, const float *, float, struct pair, unsigned char *, half,
                                          unsigned long);
template __global__ void ns::scale<int>(int *, const float *, int, struct pair, unsigned char *, half, unsigned long);

__device__ int counter = 7;
__device__ float table[3];
__attribute__((constant)) const short fixed[2] = {1, 2};
static __device__ int hidden_counter = 9;

// What is called is not known: everything may be used.
__global__ void indirect(void (*f)(float *), float *p)
{
    f(p);
    counter += fixed[local_x() & 1];
    table[local_x() & 1] = hidden_counter++;
}

extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(128, 128))) void
fixed_size(int *p)
{
    p[local_x()] = 1;
}
