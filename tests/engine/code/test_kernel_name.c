#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/code/kernel_name.h"

static void base_names(void **state)
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
        {"", ""},
        {"<", "<"},
        {"(", "("},
        {"void f<", "f"},
    };
    char out[256];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(kernel_base_name(cases[i].name, out, sizeof out), cases[i].base);
}

static void full_names(void **state)
{
    char out[256];
    (void)state;
    assert_string_equal(kernel_full_name("_Z4gemmPfS_.kd", out, sizeof out),
                        "gemm(float*, float*)");
    assert_string_equal(kernel_full_name("plain.kd", out, sizeof out), "plain");
    assert_string_equal(kernel_full_name("axpy(float*)", out, sizeof out), "axpy(float*)");
    assert_string_equal(kernel_full_name(".kd", out, sizeof out), ".kd");
}

static void what_has_no_room_stays_whole(void **state)
{
    char name[9000], out[64];
    (void)state;
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    assert_ptr_equal(kernel_base_name(name, out, sizeof out), name);
    name[6000] = '(';
    assert_ptr_equal(kernel_base_name(name, out, sizeof out), name);
    assert_ptr_equal(kernel_full_name(name, out, sizeof out), name);
    char large[KERNEL_NAME_BYTES];
    assert_int_equal(strlen(kernel_base_name(name, large, sizeof large)), 6000);
    assert_string_equal(kernel_full_name(name, large, sizeof large), name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_names),
        cmocka_unit_test(full_names),
        cmocka_unit_test(what_has_no_room_stays_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
