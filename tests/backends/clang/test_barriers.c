/*
 * Barriers, atomic operations and dynamic LDS of kernels in HIP: a candidate that has a barrier
 * less, under a condition, or in a helper that is called another number of times is refused,
 * however the barrier is spelled and wherever it hides. Honest rewrites are not. Forks: not for
 * TSan.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/source_guards/source_guard_ops.h"
#include "engine/value/text_file.h"
#include "support/libclang.h"
#include "support/test.h"

extern const struct source_guard_ops source_guard_clang;

/* The few declarations of HIP (ROCm 6, amd_device_functions.h and its neighbours) that the kernels
 * need. */
#define HEAD                                                                                       \
    "#define __global__ __attribute__((global))\n#define __device__ __attribute__((device))\n"     \
    "#define __shared__ __attribute__((shared))\n"                                                 \
    "#define HIP_DYNAMIC_SHARED(type, var) extern __shared__ type var[];\n"                        \
    "struct place { unsigned x, y, z; };\n"                                                        \
    "extern const __device__ place threadIdx, blockIdx, blockDim;\n"                               \
    "extern \"C\" __device__ void __syncthreads();\n"                                              \
    "extern \"C\" __device__ int __syncthreads_or(int);\n"                                         \
    "extern \"C\" __device__ int __syncthreads_and(int);\n"                                        \
    "extern \"C\" __device__ int __syncthreads_count(int);\n"                                      \
    "extern \"C\" __device__ void __syncwarp();\n"                                                 \
    "extern \"C\" __device__ void __barrier(int);\n"                                               \
    "extern \"C\" __device__ void __work_group_barrier(unsigned);\n"                               \
    "extern \"C\" __device__ void __threadfence();\n"                                              \
    "extern \"C\" __device__ void __threadfence_block();\n"                                        \
    "extern \"C\" __device__ float atomicAdd(float *, float);\n"                                   \
    "extern \"C\" __device__ float unsafeAtomicAdd(float *, float);\n"                             \
    "extern \"C\" __device__ float *__get_dynamicgroupbaseptr();\n"                                \
    "namespace cooperative_groups {\nstruct thread_block { __device__ void sync() const; };\n"     \
    "__device__ thread_block this_thread_block();\n"                                               \
    "__device__ void sync(const thread_block &);\n}\nnamespace cg = cooperative_groups;\n"         \
    "#define BARRIER() __builtin_amdgcn_fence(5, \"workgroup\"), __builtin_amdgcn_s_barrier()\n"   \
    "#define SYNC() do { __syncthreads(); } while (0)\n"                                           \
    "#define ASM() __asm__ volatile(\"s_barrier\" ::: \"memory\")\n"                               \
    "static __device__ void all_meet() { __syncthreads(); }\n"
#define KERNEL "extern \"C\" __global__ void f(const float *x, float *out, int n)\n{\n"
#define FILLS                                                                                      \
    "    __shared__ float part[256];\n    int t = threadIdx.x;\n    part[t] = x[t];\n"             \
    "    for (int step = n / 2; step > 0; step /= 2) {\n"
#define ADDS  "        if (t < step)\n            part[t] += part[t + step];\n"
#define ENDS  "    }\n    if (t == 0)\n        out[0] = part[0];\n}\n"
#define ROUND "        @\n" ADDS

#define TILE(load, before, sum, after)                                                             \
    "    __shared__ float tile[256];\n    int t = threadIdx.x;\n    float s = 0;\n"                \
    "    for (int k = 0; k < n; k += 256) {\n        " load "\n        " before "\n"               \
    "        for (int j = 0; j < 256; j++)\n            " sum "\n        " after                   \
    "\n    }\n    out[t] = s;\n}\n"
#define TILED     TILE("tile[t] = x[k + t];", "@", "s += tile[j];", "@")
#define TILED_TWO TILE("tile[t] = x[k + t];", "", "s += tile[j];", "@")
#define TILED_ONE TILE("tile[t] = x[k + t];", "@", "s += tile[j];", "")
#define TILED_HELPED                                                                               \
    TILE("const float v = x[k + t]; tile[t] = v;", "SYNC();", "s = s + tile[j];", "@")

static const char *const spellings[] = {
    "__syncthreads();",
    "__syncthreads_or(t);",
    "__syncthreads_and(t > 0);",
    "__syncthreads_count(t);",
    "__barrier(1);",
    "__work_group_barrier(1);",
    "__builtin_amdgcn_s_barrier();",
    "__builtin_amdgcn_wave_barrier();",
    "__builtin_amdgcn_fence(5, \"workgroup\");",
    "__threadfence();",
    "__threadfence_block();",
    "__syncwarp();",
    "cg::this_thread_block().sync();",
    "cg::sync(cg::this_thread_block());",
    "BARRIER();",
    "SYNC();",
    "ASM();",
    "__asm__ volatile(\"s_barrier\");",
    "all_meet();",
};

/* What a candidate makes of the loop's body, and what stands before its kernel. @: the barrier. */
static const struct {
    const char *before, *body;
} cheats[] = {
    {"", ADDS},
    {"", "        if (t < step) {\n            @\n            part[t] += part[t + step];\n }\n"},
    {"", "        if (step > 64) {\n            @\n        }\n" ADDS},
    {"", "        if (0) {\n            @\n        }\n" ADDS},
    {"", "        if (t >= step)\n            continue;\n" ROUND},
    {"", "        if (t >= step)\n            break;\n" ROUND},
    {"", "        if (t >= step)\n            return;\n" ROUND},
    {"", "        if (t >= step)\n            goto over;\n        @\n    over:;\n" ADDS},
    {"", "        int mine = t % 7;\n        if (mine == 3)\n            continue;\n" ROUND},
    {"", "        bool in = false;\n        if (t < step)\n            in = true;\n"
         "        if (in) {\n            @\n        }\n" ADDS},
    {"", "        switch (step) {\n        case 1:\n            @\n        }\n" ADDS},
    {"", "        while (0) {\n            @\n        }\n" ADDS},
    {"", "        for (int k = 0; k < t; k++) {\n            @\n        }\n" ADDS},
    {"", "        for (int k = 0; k < 2; k++) {\n            @\n        }\n" ADDS},
    {"", ROUND "        @\n"},
    {"", "        [&] { @ };\n" ADDS},
    {"", "        auto meet = [&] { @ };\n        meet();\n        meet();\n" ADDS},
    {"", "        auto meet = [&] { @ };\n        if (t < step)\n            meet();\n" ADDS},
    {"static __device__ void meet(int t) { @ }\n", "        meet(t);\n" ADDS "        meet(t);\n"},
    {"static __device__ void meet(int t) { @ }\n", "        if (t < step)\n meet(t);\n" ADDS},
    {"static __device__ void meet(int t) { @ }\n", ADDS},
    {"static __device__ void meet(int t, int step) { if (t >= step) return; @ }\n",
     "        meet(t, step);\n" ADDS},
    {"static __device__ void meet(int t, bool in) { if (in) { @ } }\n",
     "        meet(t, t < step);\n" ADDS},
    {"static __device__ void meet(int t) { @ }\n"
     "static __device__ void meet_all(int t) { meet(t); meet(t); }\n",
     "        meet_all(t);\n" ADDS},
    {"template <class T> static __device__ void meet(T t) { @ }\n",
     "        meet(t);\n        meet(t);\n" ADDS},
    {"struct meets { __device__ void now(int t) { @ } };\n",
     "        meets m;\n        m.now(t);\n        m.now(t);\n" ADDS},
    {"struct meets { int t; __device__ ~meets() { @ } };\n", "        meets m{t};\n" ADDS},
    {"#define IF(c, s) if (c) { s }\n", "        IF(t < step, @)\n" ADDS},
    {"static __device__ void meet(int t) { @ }\n",
     "        void (*const p)(int) = meet;\n        p(t);\n        p(t);\n" ADDS},
};
enum { SPELLINGS = sizeof spellings / sizeof *spellings, CHEATS = sizeof cheats / sizeof *cheats };

/* Text, with the barrier for each @. */
static void put(char *out, size_t size, const char *head, const char *text, const char *barrier)
{
    size_t n = (size_t)snprintf(out, size, "%s", head);
    for (; *text && n < size; text++)
        n += (size_t)snprintf(out + n, size - n, "%.*s", *text == '@' ? 64 : 1,
                              *text == '@' ? barrier : text);
    assert_true(n < size);
}

static int check(const char *was, const char *is, struct source_refusal *refused)
{
    struct error err = ERROR_INIT;
    const struct source_pair pair = {.path = "f.hip",
                                     .function = "f",
                                     .original = was,
                                     .n_original = strlen(was),
                                     .candidate = is,
                                     .n_candidate = strlen(is)};
    *refused = (struct source_refusal){.guard = ""};
    return source_guard_clang.check(&pair, refused, &err);
}

TEST(each_spelling_at_each_place)
{
    size_t wrong = 0;
    need_libclang();
    for (size_t s = 0; s < SPELLINGS; s++)
        for (size_t i = 0; i < CHEATS; i++) {
            if (s > 0 && (i + s) % 5 != 0) /* each reading takes its time */
                continue;
            char was[8192], is[8192], text[4096];
            struct source_refusal refused;
            put(was, sizeof was, HEAD KERNEL FILLS, ROUND ENDS, spellings[s]);
            snprintf(text, sizeof text, "%s" KERNEL FILLS "%s" ENDS, cheats[i].before,
                     cheats[i].body);
            put(is, sizeof is, HEAD, text, spellings[s]);
            const int rc = check(was, is, &refused);
            if (rc == 1 && strcmp(refused.guard, "parse") != 0)
                continue;
            print_message("%s: %d %s: %s\n%s\n", spellings[s], rc, refused.guard, refused.evidence,
                          is + strlen(HEAD));
            wrong++;
        }
    if (wrong > 0)
        fail_msg("%zu of %d", wrong, SPELLINGS * CHEATS);
}

/* Pairs of kernels' bodies. guard "": nothing is objected to. */
static const struct {
    const char *was, *before, *is, *guard, *words;
} pairs[] = {
    /* the barrier once, where it stood */
    {FILLS ROUND ENDS, "static __device__ void meet() { __syncthreads(); }\n",
     FILLS "        meet();\n" ADDS ENDS, "", ""},
    {FILLS ROUND ENDS, "", FILLS "        auto meet = [] { @ };\n        meet();\n" ADDS ENDS, "",
     ""},
    {FILLS ROUND ENDS, "", FILLS "        SYNC();\n" ADDS ENDS, "", ""},
    {FILLS ROUND ENDS, "template <class T> static __device__ void meet(T) { __syncthreads(); }\n",
     FILLS "        meet(t);\n" ADDS ENDS, "", ""},
    {FILLS ROUND ENDS, "",
     FILLS "        do {\n            @\n        } while (false);\n" ADDS ENDS, "", ""},
    /* other names, and another way to halve */
    {FILLS ROUND ENDS, "",
     "    __shared__ float sums[256];\n    const int item = threadIdx.x;\n    sums[item] = "
     "x[item];\n"
     "    for (int half = n >> 1; half > 0; half >>= 1) {\n        @\n        if (item < half)\n"
     "            sums[item] += sums[item + half];\n    }\n    if (item == 0)\n"
     "        out[0] = sums[0];\n}\n",
     "", ""},
    {FILLS ROUND ENDS, "",
     FILLS "        @\n        if (t >= step)\n            continue;\n"
           "        part[t] += part[t + step];\n" ENDS,
     "", ""},
    {FILLS ROUND ENDS, "", "    if (n == 0)\n        return;\n" FILLS ROUND ENDS, "", ""},
    /* a barrier more, where no loop has one */
    {"    out[threadIdx.x] = x[threadIdx.x];\n}\n", "",
     "    __shared__ float tile[256];\n    tile[threadIdx.x] = x[threadIdx.x];\n    @\n"
     "    out[threadIdx.x] = tile[255 - threadIdx.x];\n}\n",
     "", ""},
    {"    out[threadIdx.x] = x[threadIdx.x];\n}\n", "",
     "    __shared__ float tile[256];\n    float s = 0;\n    for (int k = 0; k < n; k += 256) {\n"
     "        tile[threadIdx.x] = x[k + threadIdx.x];\n        @\n"
     "        for (int j = 0; j < 256; j++)\n            s += tile[j];\n        @\n    }\n"
     "    out[threadIdx.x] = s;\n}\n",
     "", ""},
    {"    out[threadIdx.x] = x[threadIdx.x];\n}\n", "",
     "    __shared__ float tile[256];\n    if (threadIdx.x < n) {\n"
     "        tile[threadIdx.x] = x[threadIdx.x];\n        @\n"
     "        out[threadIdx.x] = tile[255 - threadIdx.x];\n    }\n}\n",
     "barriers", "not all"},
    {"    out[threadIdx.x] = x[threadIdx.x];\n}\n", "",
     "    __shared__ float tile[256];\n    for (int k = threadIdx.x; k < n; k += 256) {\n"
     "        tile[threadIdx.x] = x[k];\n        @\n        out[k] = tile[255 - threadIdx.x];\n"
     "    }\n}\n",
     "barriers", "not all"},
    /* no barrier, as nobody else's value is read */
    {FILLS ROUND ENDS, "",
     "    float s = 0;\n    if (threadIdx.x == 0) {\n        for (int k = 0; k < n; k++)\n"
     "            s += x[k];\n        out[0] = s;\n    }\n}\n",
     "", ""},
    {FILLS ROUND ENDS, "",
     "    __shared__ float part[256];\n    int t = threadIdx.x;\n    part[t] = x[t];\n    @\n"
     "    if (t == 0) {\n        float s = 0;\n        for (int k = 0; k < n; k++)\n"
     "            s += part[k];\n        out[0] = s;\n    }\n}\n",
     "", ""},
    {FILLS ROUND ENDS, "",
     "    __shared__ float part[256];\n    int t = threadIdx.x;\n    part[t] = x[t];\n"
     "    if (t == 0) {\n        float s = 0;\n        for (int k = 0; k < n; k++)\n"
     "            s += part[k];\n        out[0] = s;\n    }\n}\n",
     "barriers", "gone"},
    /* its rounds by hand */
    {FILLS ROUND ENDS, "",
     "    __shared__ float part[256];\n    int t = threadIdx.x;\n    part[t] = x[t];\n    @\n"
     "    if (t < 128)\n        part[t] += part[t + 128];\n    if (t < 70)\n"
     "        part[t] += part[t + 70];\n    if (t == 0)\n        out[0] = part[0];\n}\n",
     "barriers", "gone"},
    /* the barrier in a loop beside the one with the work, and weaker ones */
    {FILLS ROUND ENDS, "",
     FILLS ADDS "    }\n    for (int k = n / 2; k > 0; k /= 2) {\n        @\n" ENDS, "barriers",
     ""},
    {FILLS ROUND ENDS, "", FILLS "        __threadfence_block();\n" ADDS ENDS, "barriers", "gone"},
    {FILLS ROUND ENDS, "", FILLS "        __builtin_amdgcn_wave_barrier();\n" ADDS ENDS, "", "?"},
    {FILLS ROUND ENDS, "", FILLS "        __builtin_amdgcn_s_barrier();\n" ADDS ENDS, "barriers",
     "gone"},
    {FILLS "        __builtin_amdgcn_fence(5, \"workgroup\");\n        "
           "__builtin_amdgcn_s_barrier();\n" ADDS ENDS,
     "",
     FILLS "        __builtin_amdgcn_fence(5, \"wavefront\");\n        "
           "__builtin_amdgcn_s_barrier();\n" ADDS ENDS,
     "barriers", "gone"},
    /* tiles: two of them in turn; a barrier of the two gone */
    {TILED, "", TILED_TWO, "barriers", "gone"},
    {TILED, "", TILED_ONE, "barriers", "gone"},
    {TILED, "", TILED_HELPED, "", ""},
    /* atomic operations that are none any more */
    {"    atomicAdd(&out[n], x[threadIdx.x]);\n}\n", "", "    out[n] += x[threadIdx.x];\n}\n",
     "barriers", "atomic"},
    {"    unsafeAtomicAdd(&out[n], x[threadIdx.x]);\n}\n", "", "    out[n] += x[threadIdx.x];\n}\n",
     "barriers", "atomic"},
    {"    __atomic_fetch_add((int *)&out[n], 1, 0);\n}\n", "", "    ((int *)out)[n] += 1;\n}\n",
     "barriers", "atomic"},
    {"    __sync_fetch_and_add((int *)&out[n], 1);\n}\n", "", "    ((int *)out)[n] += 1;\n}\n",
     "barriers", "atomic"},
    {"    __hip_atomic_fetch_add(&out[n], 1.0f, 0, 4);\n}\n", "", "    out[n] += 1;\n}\n",
     "barriers", "atomic"},
    {"    atomicAdd(&out[n], x[threadIdx.x]);\n}\n",
     "static __device__ void add(float *to, float by) { atomicAdd(to, by); }\n",
     "    add(&out[n], x[threadIdx.x]);\n}\n", "", ""},
    {"    for (int k = 0; k < n; k++)\n        atomicAdd(&out[k], x[k]);\n}\n",
     "static __device__ void add(float *to, float by) { atomicAdd(to, by); }\n",
     "    for (int k = 0; k + 1 < n; k += 2) {\n        add(&out[k], x[k]);\n"
     "        add(&out[k + 1], x[k + 1]);\n    }\n}\n",
     "unroll", "atomic"},
    /* dynamic LDS that the launch does not give */
    {"    out[n] = x[n];\n}\n", "", "    extern __shared__ float d[];\n    d[n] = 1;\n}\n",
     "static-data", "dynamic"},
    {"    out[n] = x[n];\n}\n", "", "    HIP_DYNAMIC_SHARED(float, d)\n    d[n] = 1;\n}\n",
     "static-data", "dynamic"},
    {"    out[n] = x[n];\n}\n", "extern \"C\" __shared__ float d[];\n", "    d[n] = 1;\n}\n",
     "static-data", "dynamic"},
    {"    out[n] = x[n];\n}\n", "extern \"C\" { extern __attribute__((shared)) float d[]; }\n",
     "    d[n] = 1;\n}\n", "", "?"},
    {"    out[n] = x[n];\n}\n", "",
     "    ((__attribute__((address_space(3))) float *)64)[n] = 1;\n}\n", "", "?"},
    {"    out[n] = x[n];\n}\n", "typedef __attribute__((address_space(3))) float lds;\n",
     "    ((lds *)64)[n] = 1;\n}\n", "", "?"},
    {"    out[n] = x[n];\n}\n", "", "    __get_dynamicgroupbaseptr()[n] = 1;\n}\n", "", "?"},
    {"    out[n] = x[n];\n}\n", "",
     "    int k = __builtin_amdgcn_groupstaticsize();\n out[n] = k;\n}\n", "", "?"},
};

/* words "?": any guard may refuse it, but one has to. */
TEST(pairs_are_told_apart)
{
    size_t wrong = 0;
    need_libclang();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char was[8192], is[8192], head[4096];
        struct source_refusal refused;
        put(was, sizeof was, HEAD KERNEL, pairs[i].was, "__syncthreads();");
        snprintf(head, sizeof head, "%s%s%s", HEAD, pairs[i].before, KERNEL);
        put(is, sizeof is, head, pairs[i].is, "__syncthreads();");
        const int rc = check(was, is, &refused);
        const bool any = strcmp(pairs[i].words, "?") == 0;
        if (any ? rc == 1 && strcmp(refused.guard, "parse") != 0
                : rc == (*pairs[i].guard != '\0') && strcmp(refused.guard, pairs[i].guard) == 0 &&
                      strstr(refused.evidence, pairs[i].words))
            continue;
        /* libclang 14 does not tell what a call of a lambda calls: refused for that */
        if (!*pairs[i].guard && strcmp(refused.guard, "calls") == 0 && strstr(is, "[] {"))
            continue;
        print_message("%zu: %d %s: %s, not %s\n%s\n", i, rc, refused.guard, refused.evidence,
                      any ? "refused" : pairs[i].guard, is + strlen(HEAD));
        wrong++;
    }
    if (wrong > 0)
        fail_msg("%zu of %zu", wrong, sizeof pairs / sizeof *pairs);
}

/* The honest sources that the emulated GPU judges. */
TEST(sources_of_the_corpus_pass)
{
    static const struct {
        const char *was, *is, *function;
    } rows[] = {
        {"vector_add", "helper", "vector_add"},  {"vector_add", "restricted", "vector_add"},
        {"vector_add", "staged", "vector_add"},  {"vector_add", "strided", "vector_add"},
        {"vector_add", "vectors", "vector_add"}, {"reduce_sum", "one_wave_sums", "reduce_sum"}};
    need_libclang();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char paths[2][256], *texts[2] = {NULL, NULL};
        struct source_refusal refused = {.guard = ""};
        struct error err = ERROR_INIT;
        size_t n[2];
        snprintf(paths[0], sizeof *paths, "tests/data/judge/gpu/source/%s.hip", rows[i].was);
        snprintf(paths[1], sizeof *paths, "tests/data/judge/gpu/honest/source/%s.hip", rows[i].is);
        for (int k = 0; k < 2; k++)
            assert_int_equal(text_file_read(&texts[k], &n[k], paths[k], &err), 0);
        const struct source_pair pair = {.path = paths[0],
                                         .function = rows[i].function,
                                         .build = "hipcc -Itests/platform/gpu/kernels {source}",
                                         .original = texts[0],
                                         .n_original = n[0],
                                         .candidate = texts[1],
                                         .n_candidate = n[1]};
        if (source_guard_clang.check(&pair, &refused, &err) != 0)
            fail_msg("%s: %s: %s %s", rows[i].is, refused.guard, refused.evidence, err.why);
        free(texts[0]);
        free(texts[1]);
    }
}

/* Text that grows. */
__attribute__((format(printf, 3, 4))) static void more(char *out, size_t size, const char *format,
                                                       ...)
{
    const size_t n = strlen(out);
    va_list values;
    va_start(values, format);
    assert_true((size_t)vsnprintf(out + n, size - n, format, values) < size - n);
    va_end(values);
}

/* Helpers that each call the next one five times, without a barrier. */
TEST(more_events_than_are_followed_end)
{
    static char was[16384], is[16384];
    struct source_refusal refused;
    need_libclang();
    snprintf(was, sizeof was, "%s",
             HEAD "static __device__ void g0(float *o, int n) { o[n] += 1; }\n");
    for (int i = 1; i < 8; i++) {
        more(was, sizeof was, "static __device__ void g%d(float *o, int n)\n{\n", i);
        for (int k = 0; k < 5; k++) {
            more(was, sizeof was, "    if (n > %d)\n", k);
            more(was, sizeof was, "        g%d(o, n + %d);\n", i - 1, k);
        }
        more(was, sizeof was, "}\n");
    }
    snprintf(is, sizeof is, "%s", was);
    more(was, sizeof was, KERNEL "    for (int i = 0; i < n; i++)\n        g7(out, i);\n}\n");
    more(is, sizeof is, KERNEL "    for (int i = 0; i < n; i++)\n        g7(out, 0 + i);\n}\n");
    assert_int_equal(check(was, is, &refused), 1);
    assert_string_equal(refused.guard, "barriers");
    assert_non_null(strstr(refused.evidence, "than are followed"));
}

/* Some items leave the loop before its barrier, however deep in conditions that stands. */
TEST(scopes_of_any_depth_are_followed)
{
    static const int depths[] = {1, 250, 300};
    static char is[32768];
    char was[8192];
    need_libclang();
    put(was, sizeof was, HEAD KERNEL, FILLS ROUND ENDS, "__syncthreads();");
    for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
        struct source_refusal refused;
        snprintf(is, sizeof is, "%s", HEAD KERNEL FILLS "        if (t >= step) {\n");
        for (int i = 0; i < depths[d]; i++)
            more(is, sizeof is, "            if (n > %d)\n", 100 + i);
        more(is, sizeof is,
             "                continue;\n        }\n        __syncthreads();\n" ADDS ENDS);
        if (check(was, is, &refused) != 1 || strcmp(refused.guard, "barriers") != 0 ||
            !strstr(refused.evidence, "not all"))
            fail_msg("%d: %s: %s", depths[d], refused.guard, refused.evidence);
    }
}

/* What differs between items is still known when it went through many variables. */
TEST(values_through_many_variables_differ)
{
    static const int lengths[] = {1, 12, 40};
    static char is[16384];
    char was[8192];
    need_libclang();
    put(was, sizeof was, HEAD KERNEL, FILLS ROUND ENDS, "__syncthreads();");
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        struct source_refusal refused;
        snprintf(is, sizeof is, "%s", HEAD KERNEL FILLS);
        for (int i = 0; i <= lengths[l]; i++)
            more(is, sizeof is, "        int a%d = 0;\n", i);
        more(is, sizeof is, "        for (int k = 0; k < 64; k++) {\n");
        for (int i = 0; i < lengths[l]; i++)
            more(is, sizeof is, "            a%d = a%d;\n", i, i + 1);
        more(is, sizeof is, "            a%d = t;\n        }\n", lengths[l]);
        more(
            is, sizeof is,
            "        if (a0 >= step)\n            continue;\n        __syncthreads();\n" ADDS ENDS);
        if (check(was, is, &refused) != 1 || strcmp(refused.guard, "barriers") != 0 ||
            !strstr(refused.evidence, "not all"))
            fail_msg("%d: %s: %s", lengths[l], refused.guard, refused.evidence);
    }
}
