#include <string.h>

#include "engine/code/kernel_name.h"
#include "support/test.h"

TEST(base_names)
{
    static const struct {
        const char *name, *base;
    } cases[] = {
        {"axpy(float*)", "axpy"},
        {"_Z4gemmPfS_.kd", "gemm"},
        {"void ns::gemm<float, 4>(float*, int) [clone .kd]", "ns::gemm"},
        {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
         "std::array<char*, 1ul> >(int, at::native::FillFunctor<float>)",
         "at::native::vectorized_elementwise_kernel"},
        {"void (anonymous namespace)::softmax<(anonymous namespace)::Op>(int)",
         "(anonymous namespace)::softmax"},
        {"unsigned int reduce<true>(unsigned int*)", "reduce"},
        {"ns::functor::operator()(int) const", "ns::functor::operator()"},
        {"bool ns::operator< <int>(ns::x<int>)", "ns::operator<"},
        {"run(int)::{lambda(int)#1}::operator()(int) const", "run"},
        {"Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1",
         "Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1"},
        {"triton_poi_fused_0", "triton_poi_fused_0"},
        {"CUDA graph 5", "CUDA graph 5"},
        /* as NVIDIA's tools write them */
        {"void <unnamed>::softmax<float, (int)6, (bool)0>(T2 *)", "(anonymous namespace)::softmax"},
        {"void at::native::<unnamed>::cat<(int)4>(char *)",
         "at::native::(anonymous namespace)::cat"},
        {"", ""},
        {"<", "<"},
        {"(", "("},
        {"void f<", "f"},
    };
    char out[256];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(kernel_base_name(cases[i].name, out, sizeof out), cases[i].base);
}

TEST(full_names)
{
    char out[256];
    assert_string_equal(kernel_full_name("_Z4gemmPfS_.kd", out, sizeof out),
                        "gemm(float*, float*)");
    assert_string_equal(kernel_full_name("plain.kd", out, sizeof out), "plain");
    assert_string_equal(kernel_full_name("axpy(float*)", out, sizeof out), "axpy(float*)");
    assert_string_equal(kernel_full_name(".kd", out, sizeof out), ".kd");
}

/* A kernel has the same name, whichever tool wrote it. */
TEST(dialects_become_one)
{
    static const struct {
        const char *theirs, *ours;
    } cases[] = {
        {"void f<(int)4, (unsigned long)2, (bool)1>(int, T2)", "void f<4, 2, 1>(int, T2)"},
        {"void f<(int)-1, g<(char)-128>>(T1)", "void f<-1, g<-128>>(T1)"},
        {"void <unnamed>::f<ns::<unnamed>::op>(T1)",
         "void (anonymous namespace)::f<ns::(anonymous namespace)::op>(T1)"},
        {"void f<g(x &, y *)::[lambda(float, bool) (instance 12)]>(T1)",
         "void f<g(x&, y*)::{lambda(float, bool)#12}>(T1)"},
        {"void f<(int)2, void g(x &, y *)::[lambda() (instance 1)]::operator ()() "
         "const::[lambda(h<int>) (instance "
         "2)]>(T1)",
         "void f<2, g(x&, y*)::{lambda()#1}::operator()() const::{lambda(h<int>)#2}>(T1)"},
        {"f(int)4", "f(int)4"}, /* not an argument of a template */
        {"f<(int)x>", "f<(int)x>"},
        {"f<(int", "f<(int"},
        {"[lambda(", "[lambda("},
        {"[lambda(int) (instance x)]", "[lambda(int) (instance x)]"},
        {"<unnamed>", "<unnamed>"}, /* empty otherwise */
    };
    char out[256];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(kernel_full_name(cases[i].theirs, out, sizeof out), cases[i].ours);
}

TEST(names_that_do_not_fit_stay_whole)
{
    char name[9000], out[64];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    assert_ptr_equal(kernel_base_name(name, out, sizeof out), name);
    name[6000] = '(';
    assert_ptr_equal(kernel_base_name(name, out, sizeof out), name);
    assert_ptr_equal(kernel_full_name(name, out, sizeof out), name);
    char large[KERNEL_NAME_BYTES];
    assert_int_equal(strlen(kernel_base_name(name, large, sizeof large)), 6000);
    assert_string_equal(kernel_full_name(name, large, sizeof large), name);
    static const char grows[] = "void <unnamed>::f(int)";
    assert_ptr_equal(kernel_full_name(grows, out, sizeof grows), grows);
}
