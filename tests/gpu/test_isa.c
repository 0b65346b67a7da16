/* Names of instruction sets, and which code runs on which GPU. */
#include <stdio.h>
#include <string.h>

#include "gpu/isa.h"
#include "support/test.h"

TEST(names)
{
    static const struct {
        const char *name, *whole; /* NULL: not a valid name */
    } rows[] = {
        {"gfx942", "amdgcn-amd-amdhsa--gfx942"},
        {"amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-", "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"},
        {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", "amdgcn-amd-amdhsa--gfx90a:xnack+"},
        {"hip-amdgcn-amd-amdhsa-gfx906", "amdgcn-amd-amdhsa--gfx906"},
        {"gfx9-4-generic", "amdgcn-amd-amdhsa--gfx9-4-generic"},
        {"gfx90a:xnack-:sramecc-", "amdgcn-amd-amdhsa--gfx90a:sramecc-:xnack-"},
        {"", NULL},
        {"gfx", NULL},
        {"sm_90", NULL},
        {"host-x86_64-unknown-linux--", NULL},
        {"amdgcn-amd-amdhsa--", NULL},
        {"gfx942:xnack", NULL},
        {"gfx942:other+", NULL},
        {"gfx942:", NULL},
        {"gfx99999999999999999999999999999999999999999999", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct isa isa;
        char out[ISA_NAME_BYTES];
        bool good = isa_parse(rows[i].name, &isa);
        assert_int_equal(good, rows[i].whole != NULL);
        if (good)
            assert_string_equal(isa_format(&isa, out, sizeof out), rows[i].whole);
    }
}

TEST(flags)
{
    /* As LLVM's readelf prints them for files that clang made. */
    static const struct {
        uint32_t flags;
        unsigned version;
        const char *name;
    } rows[] = {
        {0x54c, 5, "amdgcn-amd-amdhsa--gfx942"},
        {0xe3f, 4, "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"},
        {0xb3f, 4, "amdgcn-amd-amdhsa--gfx90a:sramecc-:xnack+"},
        {0x1000151, 6, "amdgcn-amd-amdhsa--gfx9-generic"},
        {0x33f, 3, "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack+"},
        {0x03f, 3, "amdgcn-amd-amdhsa--gfx90a:sramecc-:xnack-"},
        {0x036, 3, "amdgcn-amd-amdhsa--gfx1030"}, /* has neither */
        {0x0ff, 5, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct isa isa;
        char out[ISA_NAME_BYTES];
        bool known = isa_of_flags(rows[i].flags, rows[i].version, &isa);
        assert_int_equal(known, rows[i].name != NULL);
        if (known)
            assert_string_equal(isa_format(&isa, out, sizeof out), rows[i].name);
    }
}

TEST(which_code_runs_on_which_gpu)
{
    static const struct {
        const char *code, *agent, *why; /* NULL: it runs */
    } rows[] = {
        {"gfx942", "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-", NULL},
        {"gfx942:xnack-", "gfx942:sramecc+:xnack-", NULL},
        {"gfx942:sramecc+:xnack-", "gfx942:sramecc+:xnack-", NULL},
        {"gfx942:xnack+", "gfx942:sramecc+:xnack-", "the code wants xnack on, the GPU has it off"},
        {"gfx942:sramecc-", "gfx942:sramecc+:xnack-",
         "the code wants sramecc off, the GPU has it on"},
        {"gfx906:sramecc+", "gfx906",
         "the code wants sramecc on, the GPU has it neither on nor off"},
        {"gfx90a", "gfx942", "the code is for gfx90a, the GPU is a gfx942"},
        {"gfx94", "gfx942", "the code is for gfx94, the GPU is a gfx942"},
        {"gfx9-4-generic", "gfx942:sramecc+:xnack-", NULL},
        {"gfx9-4-generic:xnack-", "gfx950:sramecc+:xnack-", NULL},
        {"gfx9-4-generic:xnack+", "gfx950:sramecc+:xnack-",
         "the code wants xnack on, the GPU has it off"},
        {"gfx9-generic", "gfx90c:xnack-", NULL},
        {"gfx9-generic", "gfx90a",
         "the code is for gfx9-generic (gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c), the GPU is a "
         "gfx90a"},
        {"gfx11-generic", "gfx1100", NULL},
        {"gfx1100", "gfx11-generic", "the code is for gfx1100, the GPU is a gfx11-generic"},
        {"rubbish", "gfx942", "'rubbish' is no instruction set of AMD's GPUs"},
        {"gfx942", "", "'' is no instruction set of AMD's GPUs"},
    };
    char why[192];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool runs = isa_runs_on(rows[i].code, rows[i].agent, why, sizeof why);
        if (runs != !rows[i].why)
            fail_msg("%s on %s: %s", rows[i].code, rows[i].agent, why);
        assert_string_equal(why, runs ? "" : rows[i].why);
    }
}

TEST(the_table)
{
    for (const struct isa_row *r = isa_table; r->name; r++) {
        struct isa isa;
        assert_true(isa_parse(r->name, &isa));
        assert_int_equal(r->covers != NULL, strstr(r->name, "-generic") != NULL);
        if (r > isa_table)
            assert_true(r->mach > r[-1].mach);
    }
}
