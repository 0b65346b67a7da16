/* Terms of AMD or NVIDIA, depending on the GPU. */
#include <string.h>

#include "engine/code/gpu_words.h"
#include "engine/kernels/kernels.h"
#include "support/test.h"

TEST(whose_gpu_it_is)
{
    static const struct {
        const char *arch, *model, *vendor;
    } cases[] = {
        {"sm_70", "", "nvidia"},
        {"gfx942", "", "amd"},
        {"gfx942", "NVIDIA", "amd"}, /* the architecture decides, not the vendor's name */
        {"", "Tesla V100-SXM2-16GB", "nvidia"},
        {"", "NVIDIA H200", "nvidia"},
        {"", "AMD Instinct MI300X", "amd"},
        {"", "AMD Radeon RX 7900 XTX", "amd"},
        {"", "MI200", "amd"},
        {"", "Intel Data Center GPU Max", NULL},
        {"", "", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *vendor = gpu_words_of(cases[i].arch, cases[i].model)->vendor;
        if ((vendor == NULL) != (cases[i].vendor == NULL) ||
            (vendor && strcmp(vendor, cases[i].vendor) != 0))
            fail_msg("%s %s: %s", cases[i].arch, cases[i].model, vendor ? vendor : "none");
    }
}

TEST(texts_are_said_in_the_words_of_the_vendor)
{
    static const struct {
        const char *text, *nvidia;
    } cases[] = {
        {"at most 3 of 16 waves a SIMD fit, limited by VGPR",
         "at most 3 of 16 warps a scheduler fit, limited by registers"},
        {"less LDS a workgroup: smaller tiles", "less shared memory a block: smaller tiles"},
        {"compute units that get work", "SMs that get work"},
        {"392 work-items", "392 threads"},
        {"LDS", "shared memory"},
        {"microwaves, LDSx, _LDS and SALDS stay", "microwaves, LDSx, _LDS and SALDS stay"},
        {"", ""},
    };
    const struct gpu_words *amd = gpu_words_of("gfx942", ""), *nvidia = gpu_words_of("sm_90", "");
    char out[128];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(gpu_say(nvidia, cases[i].text, out, sizeof out), cases[i].nvidia);
        assert_ptr_equal(gpu_say(amd, cases[i].text, out, sizeof out), cases[i].text);
    }
    assert_string_equal(gpu_say(NULL, "LDS", out, sizeof out), "shared memory");
    assert_string_equal(gpu_say(nvidia, "waves LDS", out, 10), "warps sha"); /* cut, terminated */
}

TEST(rows_of_several_vendors_are_spoken_of_neutrally)
{
    const struct gpu_words *amd = gpu_words_of("gfx942", ""), *nvidia = gpu_words_of("sm_90", "");
    assert_ptr_equal(gpu_words_both(NULL, amd), amd);
    assert_ptr_equal(gpu_words_both(amd, amd), amd);
    assert_null(gpu_words_both(amd, nvidia)->vendor);
}

TEST(a_launch_is_told_in_one_way_on_all_devices)
{
    struct kernel_shape s = {.grid = {392, 1, 1}, .block = {128, 1, 1}};
    char out[LAUNCH_TEXT];
    assert_string_equal(kernel_shape_text(&s, out), "grid 392, block 128");
    s.grid[1] = 4;
    s.block[2] = 2;
    assert_string_equal(kernel_shape_text(&s, out), "grid (392, 4), block (128, 1, 2)");
    s.block[0] = 0;
    assert_string_equal(kernel_shape_text(&s, out), "");
}
