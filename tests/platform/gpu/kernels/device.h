// What these kernels need of HIP, without its headers and device libraries.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define KERNEL     extern "C" __global__ void
#define barrier()                                                                                  \
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"), __builtin_amdgcn_s_barrier()

typedef unsigned int uint;
typedef unsigned long ulong;
typedef _Float16 half;
typedef _Float16 half2 __attribute__((ext_vector_type(2)));
typedef float float2 __attribute__((ext_vector_type(2)));

// Work-group sizes and counts come from the hidden arguments: block counts (3 x u32), then group
// sizes (3 x u16).
static inline __device__ const unsigned short *group_sizes()
{
    return (const unsigned short *)__builtin_amdgcn_implicitarg_ptr() + 6;
}
static inline __device__ int local_x()
{
    return __builtin_amdgcn_workitem_id_x();
}
static inline __device__ int local_y()
{
    return __builtin_amdgcn_workitem_id_y();
}
static inline __device__ int local_z()
{
    return __builtin_amdgcn_workitem_id_z();
}
static inline __device__ int global_x()
{
    return __builtin_amdgcn_workgroup_id_x() * group_sizes()[0] + local_x();
}
static inline __device__ int global_y()
{
    return __builtin_amdgcn_workgroup_id_y() * group_sizes()[1] + local_y();
}
static inline __device__ int global_z()
{
    return __builtin_amdgcn_workgroup_id_z() * group_sizes()[2] + local_z();
}
