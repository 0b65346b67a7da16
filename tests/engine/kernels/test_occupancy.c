#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/kernels/occupancy.h"
#include "support/test.h"

#define NONE UINT32_MAX

/* Waves on a SIMD according to the vendors' tables and calculators. */
TEST(known_occupancies)
{
    static const struct {
        const char *arch;
        struct occupancy_use use; /* block, VGPRs, AGPRs, LDS */
        double waves;
        enum occupancy_limit limit;
    } cases[] = {
        /* CDNA: 512 registers in steps of 8, 8 slots */
        {"gfx90a", {256, 64, 0, 0}, 8, OCCUPANCY_SLOTS},
        {"gfx90a", {256, 65, 0, 0}, 7, OCCUPANCY_VGPRS}, /* 72: 7.1 */
        {"gfx90a", {256, 128, 0, 0}, 4, OCCUPANCY_VGPRS},
        {"gfx90a", {256, 128, 128, 0}, 2, OCCUPANCY_VGPRS}, /* a common register file */
        {"gfx942", {256, 256, 256, 0}, 1, OCCUPANCY_VGPRS},
        {"gfx942:sramecc+:xnack-", {256, 32, 0, 32768}, 2, OCCUPANCY_LDS},
        {"gfx942", {256, 32, 0, 65536}, 1, OCCUPANCY_LDS},
        {"gfx950", {256, 32, 0, 65536}, 2, OCCUPANCY_LDS}, /* 160 KiB */
        {"gfx942", {64, 32, 0, 0}, 8, OCCUPANCY_SLOTS},
        {"gfx942", {768, 32, 0, 0}, 6, OCCUPANCY_BLOCK},   /* 12 waves: 2 of 32 slots */
        {"gfx942", {128, 32, 0, 0}, 8, OCCUPANCY_SLOTS},   /* 16 workgroups of 2 waves */
        {"gfx908", {256, 64, 128, 0}, 2, OCCUPANCY_VGPRS}, /* separate files: the larger use */
        {"gfx1100", {256, 96, NONE, 0}, 16, OCCUPANCY_SLOTS},
        {"gfx1100", {256, 97, NONE, 0}, 12, OCCUPANCY_VGPRS}, /* 120; 4 waves a SIMD each */
        {"gfx1102", {64, 256, NONE, 0}, 4, OCCUPANCY_VGPRS},
        /* CUDA Occupancy Calculator: 8.0, 256 threads */
        {"sm_80", {256, 32, NONE, 0}, 16, OCCUPANCY_SLOTS},
        {"sm_80", {256, 64, NONE, 0}, 8, OCCUPANCY_VGPRS},
        {"sm_80", {256, 255, NONE, 0}, 2, OCCUPANCY_VGPRS},
        {"sm_80", {256, 32, NONE, 49152}, 6, OCCUPANCY_LDS}, /* 3 blocks: 1 KiB is reserved */
        {"sm_86", {1024, 32, NONE, 0}, 8, OCCUPANCY_BLOCK},  /* 1 of 1.5 */
        {"sm_75", {32, 32, NONE, 0}, 8, OCCUPANCY_SLOTS},
        {"sm_90", {128, 168, NONE, 0}, 3, OCCUPANCY_VGPRS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct occupancy o = occupancy_of(cases[i].arch, &cases[i].use);
        if (o.waves != cases[i].waves || o.limit != cases[i].limit)
            fail_msg("case %zu, %s: %g waves limited by '%s', expected %g by '%s'", i,
                     cases[i].arch, o.waves, occupancy_limit_name(o.limit), cases[i].waves,
                     occupancy_limit_name(cases[i].limit));
    }
}

TEST(unknown_occupancies_stay_unknown)
{
    struct occupancy o = occupancy_of("gfx9999", &(struct occupancy_use){256, 32, 0, 0});
    assert_true(isnan(o.waves));
    assert_null(o.arch);
    o = occupancy_of("", &(struct occupancy_use){256, 32, 0, 0});
    assert_null(o.arch);
    o = occupancy_of("gfx942", &(struct occupancy_use){0, 32, 0, 0});
    assert_true(isnan(o.waves));
    o = occupancy_of("gfx942", &(struct occupancy_use){256, NONE, NONE, NONE});
    assert_false(o.complete);
    assert_true(o.waves == 8);
    assert_int_equal(o.limit, OCCUPANCY_UNKNOWN);
    o = occupancy_of("gfx942", &(struct occupancy_use){256, NONE, NONE, 32768});
    assert_false(o.complete);
    assert_int_equal(o.limit, OCCUPANCY_LDS); /* of the limits that are known */
    o = occupancy_of("gfx942", &(struct occupancy_use){UINT32_MAX - 1, 32, 0, 0});
    assert_true(isnan(o.waves)); /* such a workgroup does not fit */
    o = occupancy_of("gfx942", &(struct occupancy_use){256, UINT32_MAX - 1, UINT32_MAX - 1, 0});
    assert_true(isnan(o.waves));
    o = occupancy_of("sm_80", &(struct occupancy_use){256, 32, 0, UINT32_MAX - 1});
    assert_true(isnan(o.waves));
}

TEST(every_row_has_what_it_needs)
{
    for (const struct occupancy_arch *a = occupancy_table; a->names; a++) {
        assert_true(a->wave == 32 || a->wave == 64);
        assert_true(a->simds && a->waves && a->groups && a->vgprs && a->granule);
        assert_true(a->lds && a->lds_granule);
        assert_true(strlen(a->source) > 10);
        assert_int_equal(a->vgprs % a->granule, 0);
    }
    assert_ptr_equal(occupancy_arch("gfx941"), occupancy_arch("gfx942"));
    assert_null(occupancy_arch("gfx94"));
}
