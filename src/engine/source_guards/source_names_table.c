/* Functions by what they do. The first matching row counts; * at the end matches any ending. */
#include <string.h>

#include "engine/source_guards/source_guards.h"

static const struct name_row {
    enum source_name what;
    const char *names;
} rows[] = {
    /* time.h, sys/time.h; <x86intrin.h>; CUDA C++ guide "time function"; HIP "timer functions";
       AMDGPU builtins */
    {NAME_TIME,
     "time clock clock_gettime clock_getres gettimeofday timespec_get times getrusage nanosleep "
     "usleep sleep "
     "__rdtsc __rdtscp _rdtsc __builtin_ia32_rdtsc* __builtin_readcyclecounter "
     "__builtin_readsteadycounter "
     "clock64 wall_clock64 __clock __clock64 __globaltimer __nanosleep "
     "__builtin_amdgcn_s_memtime __builtin_amdgcn_s_memrealtime __builtin_amdgcn_s_sleep "
     "__builtin_amdgcn_s_getreg "
     "__nvvm_read_ptx_sreg_clock* __nvvm_read_ptx_sreg_globaltimer* now steady_clock system_clock"},
    {NAME_WORLD, "getenv secure_getenv setenv putenv open open64 openat creat fopen fopen64 "
                 "freopen fdopen read write pread pwrite "
                 "mmap mmap64 munmap mprotect mremap ioctl fcntl dlopen dlsym dlmopen dladdr fork "
                 "vfork clone system popen exec* "
                 "posix_spawn* pthread_* thrd_* syscall ptrace prctl socket connect send recv kill "
                 "raise signal sigaction abort "
                 "exit _exit quick_exit atexit at_quick_exit on_exit longjmp siglongjmp setjmp "
                 "printf fprintf puts putchar "
                 "hipMalloc* hipMemcpy* hipLaunch* hipDeviceSynchronize hipEvent* cudaMalloc* "
                 "cudaMemcpy* cudaLaunch*"},
    {NAME_STACK,
     "__builtin_return_address __builtin_frame_address __builtin_apply* "
     "__builtin_extract_return_addr backtrace "
     "__builtin_alloca __builtin_alloca_with_align alloca __builtin_longjmp __builtin_setjmp"},
    /* CUDA C++ guide 10.6 and 10.22; HIP language reference; AMDGPU builtins */
    {NAME_BARRIER,
     "__syncthreads* __syncwarp __barrier_sync* __cluster_barrier* "
     "__builtin_amdgcn_s_barrier* __builtin_amdgcn_fence "
     "__builtin_amdgcn_s_wait* __builtin_amdgcn_wave_barrier "
     "__builtin_amdgcn_ds_gws_* __barrier __work_group_barrier __ockl_*sync "
     "__ockl_gws_barrier __llvm_fence* __hip_fence* __nvvm_bar* __threadfence* sync arrive wait "
     "arrive_and_wait barrier "
     "work_group_barrier sub_group_barrier "
     "__sync_synchronize __atomic_thread_fence __atomic_signal_fence "
     "atomic_thread_fence atomic_signal_fence"},
    {NAME_ATOMIC, "atomic* __atomic_* __c11_atomic_* __sync_* unsafeAtomic* safeAtomic* "
                  "__hip_atomic_* __builtin_amdgcn_ds_f* "
                  "__builtin_amdgcn_global_atomic* __builtin_amdgcn_flat_atomic* __nvvm_atom* "
                  "fetch_add fetch_sub fetch_and fetch_or "
                  "fetch_xor exchange compare_exchange_weak compare_exchange_strong"},
    {NAME_LANES, "__shfl* __ballot* __any* __all* __activemask __match_* __reduce_* __lane_id "
                 "__lanemask* __popc_lanes "
                 "__builtin_amdgcn_mbcnt* __builtin_amdgcn_wavefrontsize __builtin_amdgcn_readlane "
                 "__builtin_amdgcn_readfirstlane "
                 "__builtin_amdgcn_writelane __builtin_amdgcn_ds_bpermute "
                 "__builtin_amdgcn_ds_permute __builtin_amdgcn_ds_swizzle "
                 "__builtin_amdgcn_mov_dpp* __builtin_amdgcn_update_dpp __builtin_amdgcn_permlane* "
                 "__builtin_amdgcn_ballot* "
                 "__builtin_amdgcn_read_exec* __builtin_amdgcn_uicmp* __builtin_amdgcn_sicmp* "
                 "__builtin_amdgcn_fcmp* "
                 "__builtin_amdgcn_wave* __builtin_amdgcn_mfma* __builtin_amdgcn_wmma* "
                 "__nvvm_shfl* __nvvm_vote* "
                 "__nvvm_read_ptx_sreg_laneid __nvvm_read_ptx_sreg_warpsize "
                 "__nvvm_read_ptx_sreg_lanemask* get_sub_group_* "
                 "load_matrix_sync store_matrix_sync mma_sync"},
    /* <math.h>, <string.h>, <stdlib.h>; intrinsics of x86 (_mm*), arm64 (v*_f32 and others), the
       compiler's builtins */
    {NAME_ARITHMETIC,
     "sin sinf cos cosf tan tanf asin asinf acos acosf atan atanf atan2 atan2f sinh sinhf cosh "
     "coshf tanh tanhf exp "
     "expf exp2 exp2f expm1 expm1f log logf log2 log2f log10 log10f log1p log1pf pow powf sqrt "
     "sqrtf cbrt cbrtf hypot "
     "hypotf fabs fabsf fma fmaf fmin fminf fmax fmaxf floor floorf ceil ceilf round roundf trunc "
     "truncf rint rintf "
     "nearbyint nearbyintf fmod fmodf remainder remainderf copysign copysignf ldexp ldexpf frexp "
     "frexpf modf modff "
     "erf erff erfc erfcf tgamma tgammaf lrint lrintf llrint llrintf lround lroundf sincos sincosf "
     "rsqrt rsqrtf "
     "abs labs llabs isnan isinf isfinite signbit min max clamp swap "
     "__expf __logf __sinf __cosf __powf __fdividef __frcp_* __fsqrt_* __fmaf_* __fadd_* __fmul_* "
     "__frsqrt_* "
     "__saturatef __popc* __clz* __ffs* __brev* __mul24 __umul24 __mulhi* __umulhi __byte_perm "
     "__ldg __ldcg __ldcs "
     "__float2* __int2* __uint2* __half2* __h*2 __hadd __hmul __hfma __hsub __low2* __high2* "
     "__int_as_float "
     "__float_as_int __uint_as_float __float_as_uint make_* "
     "memcpy memmove memset memcmp malloc calloc realloc aligned_alloc free qsort bsearch "
     "_mm_malloc _mm_free _mm_* _mm256_* _mm512_* _m_* _cvt* _k* _pdep* _pext* _bzhi* _blsr* "
     "_tzcnt* _lzcnt* _popcnt* "
     "vld1* vst1* vadd* vsub* vmul* vmla* vfma* vdup* vget* vset* vcombine* vmax* vmin* vabs* "
     "vneg* vcvt* vreinterpret* "
     "vzip* vuzp* vtrn* vext* vand* vorr* veor* vshl* vshr* vceq* vcgt* vcge* vbsl* "
     "__builtin_amdgcn_rcp* __builtin_amdgcn_rsq* __builtin_amdgcn_sqrt* __builtin_amdgcn_exp* "
     "__builtin_amdgcn_log* "
     "__builtin_amdgcn_f* __builtin_amdgcn_sched_barrier __builtin_amdgcn_sched_group_barrier "
     "__builtin_amdgcn_workitem_id* __builtin_amdgcn_workgroup_id* __builtin_amdgcn_sdot* "
     "__builtin_amdgcn_udot* "
     "__builtin_prefetch __builtin_expect* __builtin_assume* __builtin_unreachable "
     "__builtin_constant_p "
     "__builtin_*overflow __builtin_mem* __builtin_bswap* __builtin_clz* __builtin_ctz* "
     "__builtin_popcount* "
     "__builtin_ffs* __builtin_parity* __builtin_rotate* __builtin_bitreverse* __builtin_shuffle* "
     "__builtin_convertvector __builtin_elementwise_* __builtin_reduce_* __builtin_nontemporal_* "
     "__builtin_fma* "
     "__builtin_fabs* __builtin_sqrt* __builtin_exp* __builtin_log* __builtin_sin* __builtin_cos* "
     "__builtin_pow* "
     "__builtin_fm* __builtin_copysign* __builtin_nan* __builtin_inf* __builtin_huge_val* "
     "__builtin_is* "
     "__builtin_floor* __builtin_ceil* __builtin_round* __builtin_trunc* __builtin_rint* "
     "__builtin_choose_expr "
     "__builtin_bit_cast __builtin_va_* __builtin_object_size __builtin_signbit*"},
};

/* pattern, of n bytes: * at its end matches any ending, * inside matches any one part. */
static bool fits_name_pattern(const char *pattern, size_t n, const char *name)
{
    const char *star = memchr(pattern, '*', n);
    if (!star)
        return strlen(name) == n && memcmp(pattern, name, n) == 0;
    const size_t before = (size_t)(star - pattern), after = n - before - 1, len = strlen(name);
    return len >= before + after && memcmp(pattern, name, before) == 0 &&
           memcmp(star + 1, name + len - after, after) == 0;
}

enum source_name source_name_of(const char *function)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (const char *at = rows[i].names; *at;) {
            const size_t n = strcspn(at, " ");
            if (n && fits_name_pattern(at, n, function))
                return rows[i].what;
            at += n + (at[n] == ' ');
        }
    return NAME_PLAIN;
}

const char *source_name_words(enum source_name n)
{
    static const char *const words[] = {
        [NAME_PLAIN] = "",
        [NAME_ARITHMETIC] = "",
        [NAME_BARRIER] = "a barrier",
        [NAME_ATOMIC] = "an atomic operation",
        [NAME_LANES] = "an operation on the lanes of a wave",
        [NAME_TIME] = "a timer",
        [NAME_WORLD] = "environment, files, processes or the end of this one",
        [NAME_STACK] = "the stack of its callers",
    };
    return words[n];
}
