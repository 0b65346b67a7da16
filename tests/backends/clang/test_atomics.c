/*
 * Loops with atomic operations or dynamic shared memory in them, however these are spelled: no
 * proposer unrolls them, and no unrolled one passes the guard. Forks: not for TSan.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/clang/clang_tree.h"
#include "engine/source_guards/source_guard_ops.h"
#include "engine/rewrites/rewrites.h"
#include "support/libclang.h"
#include "support/test.h"

extern const struct source_guard_ops source_guard_clang;

#define C_HEAD "void f(long n, const int *x, int *out)\n{\n"
#define GPU_HEAD                                                                                   \
    "#define __global__ __attribute__((global))\n#define __shared__ __attribute__((shared))\n"     \
    "#define __device__ __attribute__((device))\n"                                                 \
    "#define HIP_DYNAMIC_SHARED(type, var) extern __shared__ type var[];\n"
#define KERNEL  "extern \"C\" __global__ void f(long n, const int *x, int *out)\n{\n"
#define DYNAMIC GPU_HEAD "extern \"C\" __shared__ int dyn[];\n"
#define STD                                                                                        \
    "namespace std {\ntemplate <class T> struct atomic {\n    T v;\n    T operator+=(T by);\n"     \
    "    void store(T to);\n};\n}\n"

static const struct {
    const char *path, *head, *body; /* of the loop */
    const char *guard;              /* "": the loop may be unrolled */
} cases[] = {
    {"f.c", C_HEAD, "__atomic_fetch_add(&out[0], x[i], __ATOMIC_RELAXED);", "atomic"},
    {"f.c", C_HEAD, "out[1] = __atomic_load_n(&out[0], 5) + x[i];", "atomic"},
    {"f.c", C_HEAD, "__sync_fetch_and_add(&out[0], x[i]);", "atomic"},
    {"f.c", "#define ADD(o, by) __c11_atomic_fetch_add(o, by, 5)\n" C_HEAD,
     "ADD((_Atomic int *)&out[0], x[i]);", "atomic"},
    {"f.c", C_HEAD, "*(_Atomic int *)&out[0] += x[i];", "atomic"},
    {"f.c", C_HEAD, "((_Atomic int *)out)[0]++;", "atomic"},
    {"f.c", "_Atomic int sum;\n" C_HEAD, "sum = sum + x[i];", "atomic"},
    {"f.c", "struct s { int a; _Atomic long b; } s;\n" C_HEAD, "s.b -= x[i];", "atomic"},
    {"f.c", "_Atomic int sums[4];\n" C_HEAD, "sums[i % 4] = x[i];", "atomic"},
    {"f.cc", STD "std::atomic<int> sum;\n" C_HEAD, "sum += x[i];", "atomic"},
    {"f.cc", STD "std::atomic<int> sum;\n" C_HEAD, "sum.store(x[i]);", "atomic"},
    {"f.hip", GPU_HEAD KERNEL,
     "__hip_atomic_fetch_add(&out[i % 8], x[i], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);",
     "atomic"},
    {"f.hip", GPU_HEAD KERNEL, "__atomic_fetch_add(&out[i % 8], 1u, __ATOMIC_RELAXED);", "atomic"},
    {"f.hip", GPU_HEAD "extern \"C\" __shared__ int dyn[];\n" KERNEL, "dyn[i] = x[i];", "dynamic"},
    {"f.hip", GPU_HEAD "extern \"C\" { extern __shared__ int dyn[]; }\n" KERNEL, "dyn[i] = x[i];",
     "dynamic"},
    {"f.hip", GPU_HEAD "extern __shared__ int dyn[];\n" KERNEL, "dyn[i] = x[i];", "dynamic"},
    {"f.hip", GPU_HEAD KERNEL "HIP_DYNAMIC_SHARED(int, dyn)\n", "dyn[i] = x[i];", "dynamic"},
    /* in what the loop calls, and in what that calls */
    {"f.c", "static void g(int *o, int v) { __atomic_fetch_add(o, v, 5); }\n" C_HEAD,
     "g(&out[0], x[i]);", "atomic"},
    {"f.c",
     "static void h(int *o, int v);\nstatic void g(int *o, int v) { h(o, v); }\n"
     "static void h(int *o, int v) { __sync_fetch_and_add(o, v); }\n" C_HEAD,
     "g(&out[0], x[i]);", "atomic"},
    {"f.cc", "struct s { int v; void g(int by) { __atomic_fetch_add(&v, by, 5); } } s;\n" C_HEAD,
     "s.g(x[i]);", "atomic"},
    {"f.cc",
     "template <class T> static void g(T *o, T v) { __atomic_fetch_add(o, v, 5); }\n" C_HEAD,
     "g(&out[0], x[i]);", "atomic"},
    {"f.hip", GPU_HEAD "static __device__ void g() { __builtin_amdgcn_s_barrier(); }\n" KERNEL,
     "out[i] = x[i]; g();", "barrier"},
    /* and by a pointer */
    {"f.hip", DYNAMIC KERNEL "int *p = dyn;\n", "p[i] = x[i];", "dynamic"},
    {"f.hip", DYNAMIC KERNEL "int *p, *q = &dyn[4];\np = q + 1;\n", "*(p + i) = x[i];", "dynamic"},
    {"f.hip", DYNAMIC KERNEL "float *p = reinterpret_cast<float *>(dyn + n);\n",
     "p[i] = (float)x[i];", "dynamic"},
    {"f.hip", DYNAMIC "struct s { int *p; };\n" KERNEL "s a = {dyn}, b;\nb.p = a.p;\n",
     "b.p[i] = x[i];", "dynamic"},
    {"f.hip", DYNAMIC KERNEL "int *all[2] = {out, dyn};\n", "all[1][i] = x[i];", "dynamic"},
    {"f.hip", DYNAMIC KERNEL "int &r = dyn[2];\n", "r += x[i];", "dynamic"},
    {"f.hip",
     DYNAMIC "static __device__ int *g(int at) { return dyn + at; }\n" KERNEL "int *p = g(4);\n",
     "p[i] = x[i];", "dynamic"},
    {"f.hip", DYNAMIC "static __device__ void g(int at, int v) { dyn[at] = v; }\n" KERNEL,
     "g(i, x[i]);", "dynamic"},
    {"f.hip", DYNAMIC "static __device__ void g(int *to, int at, int v) { to[at] = v; }\n" KERNEL,
     "g(dyn, i, x[i]);", "dynamic"},
    {"f.hip",
     DYNAMIC "static __device__ void g(int *to, int v) { *to = v; }\n" KERNEL "int *p = dyn;\n",
     "g(p + i, x[i]);", "dynamic"},
    /* and what is none of them */
    {"f.hip", DYNAMIC KERNEL "int v = dyn[n], *p = out + dyn[n];\n", "p[i] = x[i] + v;", ""},
    {"f.hip", DYNAMIC KERNEL "bool own = out == dyn;\n", "out[i] = x[i] + own;", ""},
    {"f.c", "static int g(int v) { return v * v; }\n" C_HEAD, "out[i] = g(x[i]);", ""},
    {"f.hip", GPU_HEAD KERNEL "__shared__ int own[64];\n", "own[i % 64] = x[i];", ""},
    {"f.hip", GPU_HEAD KERNEL, "out[i] = x[i];", ""},
    {"f.c", "int *g(const int *);\n" C_HEAD, "out[i] = *(out ? out : &out[1]) + x[i];", ""},
    {"f.c", C_HEAD, "out[i] = __builtin_choose_expr(1, x[i], 0);", ""},
    {"f.c", "_Atomic int *p;\n" C_HEAD, "out[i] = x[i];", ""},
};
enum { CASES = sizeof cases / sizeof *cases };

static void parse(const char *path, const char *text, struct syntax_tree *out)
{
    struct error err = ERROR_INIT;
    char why[CLANG_WHY] = "";
    const struct clang_source c = {.path = path, .text = text, .n = strlen(text)};
    if (clang_parse(&c, out, why, &err) != 0)
        fail_msg("%s: %s %s\n%s", path, why, err.why, text);
}

/* The loop with its body `copies` times, and what stands above it. */
static void put_source(char *out, size_t size, size_t i, const char *above, int copies)
{
    int n = snprintf(out, size, "%s%s    for (long i = 0; i < n; i += %d) {\n", cases[i].head,
                     above, copies);
    for (int k = 0; k < copies; k++)
        n += snprintf(out + n, size - (size_t)n, "        %s\n", cases[i].body);
    snprintf(out + n, size - (size_t)n, "    }\n}\n");
}

TEST(no_proposer_unrolls_them)
{
    static rewriter *const rewriters[] = {rewrite_unroll, rewrite_pragma, rewrite_vectorise,
                                          rewrite_accumulators};
    need_libclang();
    for (size_t i = 0; i < CASES; i++)
        for (size_t k = 0; k < sizeof rewriters / sizeof *rewriters; k++) {
            char text[2048];
            struct syntax_tree tree;
            struct rewrite r;
            put_source(text, sizeof text, i, "", 1);
            parse(cases[i].path, text, &tree);
            const bool made = rewriters[k](&tree, "f", 0, &r);
            if (made && *cases[i].guard)
                fail_msg("%s: rewritten into\n%s", cases[i].body, r.text);
            if (!made && k == 0 && !*cases[i].guard)
                fail_msg("%s: it may be unrolled", cases[i].body);
            if (made)
                free(r.text);
            syntax_free(&tree);
        }
}

static void guard_says(size_t i, const char *candidate)
{
    char text[2048];
    struct source_refusal refused = {.guard = ""};
    struct error err = ERROR_INIT;
    put_source(text, sizeof text, i, "", 1);
    const struct source_pair pair = {.path = cases[i].path,
                                     .function = "f",
                                     .original = text,
                                     .n_original = strlen(text),
                                     .candidate = candidate,
                                     .n_candidate = strlen(candidate)};
    const bool refuses = source_guard_clang.check(&pair, &refused, &err) == 1;
    if (refuses != (*cases[i].guard != '\0'))
        fail_msg("%s: %s: %s %s\n%s", cases[i].body, refused.guard, refused.evidence, err.why,
                 candidate);
    if (refuses &&
        (strcmp(refused.guard, "unroll") != 0 || !strstr(refused.evidence, cases[i].guard)))
        fail_msg("%s: refused by %s: %s", cases[i].body, refused.guard, refused.evidence);
}

TEST(the_guard_refuses_unrolled_ones)
{
    need_libclang();
    for (size_t i = 0; i < CASES; i++) {
        char text[2048];
        put_source(text, sizeof text, i, "", 2);
        guard_says(i, text);
        put_source(text, sizeof text, i,
                   strstr(cases[i].path, ".hip") ? "#pragma unroll 4\n" : "#pragma GCC unroll 4\n",
                   1);
        guard_says(i, text);
    }
}

/* The same once, in another way. */
TEST(the_guard_lets_others_pass)
{
    static const char loop[] = "for (long i = 0; i < n; i++) {\n";
    static const struct {
        const char *before, *head, *was, *is; /* head: of the candidate; bodies of the loop */
    } honest[] = {
        {DYNAMIC, KERNEL "int *p = dyn;\n", "dyn[i] = x[i];", "p[i] = x[i];"},
        {DYNAMIC, "static __device__ void g(int *to, int v) { *to = v; }\n" KERNEL,
         "dyn[i] = x[i];", "g(dyn + i, x[i]);"},
        {GPU_HEAD, "static __device__ void g() { __builtin_amdgcn_s_barrier(); }\n" KERNEL,
         "__builtin_amdgcn_s_barrier();", "g();"},
    };
    need_libclang();
    for (size_t i = 0; i < sizeof honest / sizeof *honest; i++) {
        char was[2048], is[2048];
        struct source_refusal refused = {.guard = ""};
        struct error err = ERROR_INIT;
        snprintf(was, sizeof was, "%s" KERNEL "%s%s\n}\n}\n", honest[i].before, loop,
                 honest[i].was);
        snprintf(is, sizeof is, "%s%s%s%s\n}\n}\n", honest[i].before, honest[i].head, loop,
                 honest[i].is);
        const struct source_pair pair = {.path = "f.hip",
                                         .function = "f",
                                         .original = was,
                                         .n_original = strlen(was),
                                         .candidate = is,
                                         .n_candidate = strlen(is)};
        if (source_guard_clang.check(&pair, &refused, &err) != 0)
            fail_msg("%s: %s %s %s", is, refused.guard, refused.evidence, err.why);
    }
}
