/* Names of kernels, shortened as far as they stay readable. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/code/kernel_brief.h"
#include "support/test.h"

#define ADD                                                                                        \
    "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl<"                     \
    "at::native::CUDAFunctor_add<float> >(at::TensorIteratorBase&, float const&)::"                \
    "{lambda(int)#1}>(int, float)"
#define MUL                                                                                        \
    "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl<"                     \
    "at::native::MulFunctor<float> >(at::TensorIteratorBase&, float const&)::"                     \
    "{lambda(int)#1}>(int, float)"
#define FILL                                                                                       \
    "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "           \
    "at::detail::Array<char*, 1> >(int, at::native::FillFunctor<float>)"
#define SGEMM "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_"

/* as NVIDIA's tools write them */
#define THEIR_MUL                                                                                  \
    "void at::native::strided_kernel<(int)128, (int)2, void at::native::gpu_kernel_impl_nocast<"   \
    "at::native::binary_internal::MulFunctor<float>>(at::TensorIteratorBase &, const T1 &)::"      \
    "[lambda(int) (instance 1)]>(int, T3)"
#define THEIR_COPY                                                                                 \
    "void at::native::strided_kernel<(int)128, (int)2, void at::native::gpu_kernel_impl_nocast<"   \
    "at::native::<unnamed>::copy(at::TensorIteratorBase &)::[lambda() (instance 3)]::operator ()"  \
    "() const::[lambda(float) (instance 7)]>(at::TensorIteratorBase &, const T1 &)::"              \
    "[lambda(int) (instance 1)]>(int, T3)"

#define XMMA "sm80_xmma_gemm_f32f32_f32f32_f32_"

static const char *const names[] = {
    XMMA "tn_n_tilesize64x256x8_stage3_execute_kernel__5x_cublas",
    XMMA "tn_n_tilesize128x128x8_stage3_execute_kernel__5x_cublas",
    XMMA "nn_n_tilesize32x32x8_stage3_execute_kernel__5x_cublas",
    XMMA "tn_n_tilesize64x256x8_stage3_execute_split_k_kernel__5x_cublas",
    THEIR_MUL,
    THEIR_COPY,
    ADD,
    MUL,
    FILL,
    SGEMM "nn",
    SGEMM "tn",
    "void (anonymous namespace)::apply<(anonymous namespace)::Meta<4> >((anonymous)::Meta<4>)",
    "void a::f(int)",
    "void b::f(int)",
    "void a::b<int, c::d<2>>::f<e::g>(int)",
    "_Z4gemmPfS_.kd",
    "gemm(float*, float*)",
    "Memset (Device)",
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long)",
    "bool operator<(x, y)",
};
enum { NAMES = sizeof names / sizeof *names };

TEST(names_are_folded_to_the_room)
{
    static const struct {
        const char *name;
        int cells;
        const char *brief;
    } cases[] = {
        {ADD, 200,
         "elementwise_kernel<128, 4, gpu_kernel_impl<CUDAFunctor_add<float>>()::"
         "{lambda()#1}>"},
        {ADD, 60, "elementwise_kernel<…CUDAFunctor_add…>"},
        {MUL, 60, "elementwise_kernel<…MulFunctor…>"},
        {FILL, 200, "vectorized_elementwise_kernel<4, FillFunctor<float>, Array<char*, 1>>"},
        {FILL, 40, "vectorized_elementwise_kernel<4, FillFu…"},
        {SGEMM "nn", 80, SGEMM "nn"},
        {SGEMM "nn", 30, "ampere_fp16_s16816g…es_64x4_nn"},
        {"void (anonymous namespace)::apply<(anonymous namespace)::Meta<4> >"
         "((anonymous)::Meta<4>)",
         80, "apply<Meta<4>>"},
        {"void a::b<int, c::d<2>>::f<e::g>(int)", 80, "f<g>"},
        {"void a::f(int)", 80, "void a::f(int)"}, /* the namespace makes the difference */
        {"void b::f(int)", 80, "void b::f(int)"},
        {"_Z4gemmPfS_.kd", 80, "gemm"},
        {"gemm(float*, float*)", 80, "gemm"},
        {THEIR_MUL, 200,
         "strided_kernel<128, 2, gpu_kernel_impl_nocast<MulFunctor<float>>()::"
         "{lambda()#1}>"},
        {THEIR_MUL, 40, "strided_kernel<…MulFunctor<float>…>"},
        {THEIR_COPY, 200,
         "strided_kernel<128, 2, gpu_kernel_impl_nocast<copy()::{lambda()#3}::"
         "{lambda()#7}>()::{lambda()#1}>"},
        {XMMA "tn_n_tilesize64x256x8_stage3_execute_kernel__5x_cublas", 40,
         "sm80_xmma…tn_n_tilesize64x25…e3_execute…"},
        {XMMA "tn_n_tilesize128x128x8_stage3_execute_kernel__5x_cublas", 40,
         "sm80_xmma…tn_n_tilesize128x1…e3_execute…"},
        {"Memset (Device)", 80, "Memset (Device)"},
        {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long)", 80,
         "ncclDevKernel_AllReduce_Sum_f32_RING_LL"},
        {"not among them, and long", 10, "not among…"},
    };
    struct briefs *b = briefs_new(names, NAMES);
    char out[256];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = briefs_fit(b, cases[i].name, cases[i].cells, false, out, sizeof out);
        if (strcmp(got, cases[i].brief) != 0)
            fail_msg("%zu: '%s', not '%s'", i, got, cases[i].brief);
        assert_true(text_width(got) <= cases[i].cells);
    }
    briefs_free(b);
}

/* For any width: names are not wider, are not cut within a character, and stay different if there
 * is some room. */
TEST(short_names_fit_and_stay_different)
{
    struct briefs *b = briefs_new(names, NAMES);
    char one[256], two[256];
    for (int cells = 8; cells < 120; cells++)
        for (int i = 0; i < NAMES; i++)
            for (int ascii = 0; ascii < 2; ascii++) {
                briefs_fit(b, names[i], cells, ascii, one, sizeof one);
                assert_true(text_width(one) <= cells);
                assert_true(*one != '\0');
                if (ascii)
                    assert_null(strstr(one, "…"));
            }
    for (int cells = 40; cells < 120; cells++)
        for (int i = 0; i < NAMES; i++)
            for (int k = 0; k < i; k++) {
                bool same = strstr(names[i], "gemm(") && strstr(names[k], "_Z4gemm");
                briefs_fit(b, names[i], cells, false, one, sizeof one);
                briefs_fit(b, names[k], cells, false, two, sizeof two);
                if ((strcmp(one, two) == 0) != same)
                    fail_msg("%d cells: '%s' of '%s' and '%s'", cells, one, names[i], names[k]);
            }
    briefs_free(b);
}

TEST(any_text_has_a_brief)
{
    static const char *const odd[] = {
        "",         "<",      ">",         "((((",
        "))))>>>>", "a<b<c<", "::",        "a::",
        "::{",      " ",      "f [clone]", "(",
        "a(b)::",   "x y z",  "{}{}::{",   "\xc3\xa9\xc3\xa9\xc3\xa9<>"};
    char out[64];
    uint32_t n = sizeof odd / sizeof *odd;
    struct briefs *b = briefs_new(odd, n);
    for (uint32_t i = 0; i < n; i++)
        for (int cells = 0; cells < 12; cells++) {
            briefs_fit(b, odd[i], cells, true, out, sizeof out);
            assert_true(strlen(out) < sizeof out);
        }
    briefs_free(b);
    assert_string_equal(briefs_fit(NULL, "abc", 8, false, out, sizeof out), "abc");
    briefs_free(NULL);
}
