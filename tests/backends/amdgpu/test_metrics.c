/* gpu_metrics: its versions and sizes, values that were not measured, and damage. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/amdgpu/amdgpu_impl.h"
#include "support/test.h"

static uint8_t data[METRICS_BYTES_MAX];
static struct metrics m;
static struct error err;

/* A structure of this version in which nothing was measured. */
static void blank(unsigned format, unsigned content, size_t size)
{
    memset(data, 0xff, sizeof data);
    data[0] = (uint8_t)size;
    data[1] = (uint8_t)(size >> 8);
    data[2] = (uint8_t)format;
    data[3] = (uint8_t)content;
}

static void put(size_t at, unsigned width, uint64_t v)
{
    for (unsigned i = 0; i < width; i++)
        data[at + i] = (uint8_t)(v >> (8 * i));
}

static int parse(size_t n)
{
    /* exactly as large, so that a sanitizer notices reads beyond its end */
    uint8_t *exact = malloc(n ? n : 1);
    memcpy(exact, data, n);
    err = (struct error)ERROR_INIT;
    int rc = metrics_parse(&m, exact, n, "gpu_metrics", &err);
    free(exact);
    return rc;
}

static void is(enum metrics_field f, double want)
{
    assert_true(m.has[f]);
    assert_float_equal(m.v[f], want, want * 1e-9 + 1e-9);
}

TEST(all_ones_are_not_measured)
{
    for (size_t i = 0; i < metrics_nlayouts; i++) {
        const struct metrics_layout *l = &metrics_layouts[i];
        blank(l->format, l->content, l->size);
        assert_int_equal(parse(l->size), 0);
        for (int f = 0; f < METRICS_FIELDS; f++)
            assert_false(m.has[f]);
    }
}

TEST(fields_lie_within_their_structure)
{
    for (size_t i = 0; i < metrics_nlayouts; i++)
        for (size_t k = 0; k < metrics_layouts[i].n; k++) {
            const struct metrics_layout_field *f = &metrics_layouts[i].field[k];
            assert_true(f->offset >= 4);
            assert_true(f->offset + f->width * f->count <= metrics_layouts[i].size);
            assert_int_equal(f->offset % f->width, 0);
            assert_true(f->field < METRICS_FIELDS);
        }
}

TEST(a_desktop_card)
{
    blank(1, 3, 120);
    put(4, 2, 54);
    put(6, 2, 66);
    put(22, 2, 142);
    put(54, 2, 2371);
    put(72, 2, 0); /* 0 is a number: the fan stands still */
    put(76, 2, 160);
    put(112, 8, (UINT64_C(1) << 36) | 1);
    assert_int_equal(parse(120), 0);
    is(METRICS_TEMP_EDGE, 54);
    is(METRICS_TEMP_HOTSPOT, 66);
    is(METRICS_POWER, 142);
    is(METRICS_GFX_HZ, 2371e6);
    is(METRICS_FAN_RPM, 0);
    is(METRICS_PCIE_SPEED, 16e9);
    assert_false(m.has[METRICS_TEMP_MEM]);
    assert_false(m.has[METRICS_ENERGY]); /* 1.3 does not document its unit */
    char text[128];
    assert_string_equal(metrics_throttle_text(m.raw[METRICS_THROTTLE_COMMON], text, sizeof text),
                        "power, hot spot");
}

TEST(a_server_gpu)
{
    blank(1, 4, 288);
    put(4, 2, 71);
    put(10, 2, 612);
    put(12, 2, 87);
    put(24, 8, UINT64_C(10) << 16);
    put(240, 2, 2100);
    put(242, 2, 2099);
    put(104, 8, 2);
    put(112, 8, 3);
    assert_int_equal(parse(288), 0);
    is(METRICS_TEMP_HOTSPOT, 71);
    is(METRICS_POWER, 612);
    is(METRICS_GFX_BUSY, 87);
    is(METRICS_ENERGY, 10);
    is(METRICS_GFX_HZ, 2100e6); /* the highest of its dies; six were not measured */
    is(METRICS_LINK_READ, 5 * 1024);
}

TEST(an_apu_in_hundredths_and_milliwatt)
{
    blank(2, 4, 168);
    put(4, 2, 4850);
    put(28, 2, 1234);
    put(40, 2, 15200);
    put(76, 2, 1100);
    assert_int_equal(parse(168), 0);
    is(METRICS_TEMP_EDGE, 48.5);
    is(METRICS_GFX_BUSY, 12.34);
    is(METRICS_POWER, 15.2);
    is(METRICS_GFX_HZ, 1100e6);
    blank(2, 1, 120); /* undocumented units are not guessed */
    put(4, 2, 4850);
    put(76, 2, 1100);
    assert_int_equal(parse(120), 0);
    assert_false(m.has[METRICS_TEMP_EDGE]);
    is(METRICS_GFX_HZ, 1100e6);
    blank(3, 0, 264);
    put(112, 4, 28500);
    put(94, 2, 1200);
    assert_int_equal(parse(264), 0);
    is(METRICS_POWER, 28.5);
    is(METRICS_DRAM_READ, 1.2e9);
}

TEST(the_size_says_which_form_of_1_6_it_is)
{
    blank(1, 6, 384);
    put(96, 8, 7); /* the short form, without the accumulation counter */
    put(104, 4, 99);
    assert_int_equal(parse(384), 0);
    is(METRICS_ACC_COUNT, 99);
    blank(1, 6, 1664);
    put(32, 4, 42);
    put(80, 8, 1);
    put(88, 8, 8000);
    assert_int_equal(parse(1664), 0);
    is(METRICS_ACC_COUNT, 42);
    is(METRICS_PCIE_BANDWIDTH, 1e9);
}

TEST(appended_bytes_do_no_harm)
{
    blank(1, 3, 200);
    put(4, 2, 54);
    assert_int_equal(parse(200), 0);
    is(METRICS_TEMP_EDGE, 54);
}

TEST(residency_is_the_share_of_accumulations)
{
    struct metrics before;
    blank(1, 7, 2208);
    put(40, 4, 0xfffffff0u); /* the counter wraps around */
    put(48, 4, 100);
    assert_int_equal(parse(2208), 0);
    before = m;
    put(40, 4, 0x54);
    put(48, 4, 125);
    assert_int_equal(parse(2208), 0);
    assert_float_equal(metrics_residency(&m, &before, METRICS_ACC_POWER), 25, 1e-9);
    assert_float_equal(metrics_residency(&m, &before, METRICS_ACC_HBM_TEMP), -1, 0);
    assert_float_equal(metrics_residency(&before, &before, METRICS_ACC_POWER), -1, 0);
}

/* After a reset the driver's accumulators start again: then the share of time is unknown, and
 * never above 100 %. */
TEST(counters_that_were_reset_give_no_share)
{
    struct metrics before;
    blank(1, 7, 2208);
    put(40, 4, 5000);
    put(48, 4, 100);
    assert_int_equal(parse(2208), 0);
    before = m;
    static const struct {
        uint32_t all, held;
        double percent;
    } cases[] = {{10, 125, -1},                     /* only the divisor was reset */
                 {5100, 10, -1},                    /* only the numerator was reset */
                 {10, 5, -1},                       /* both were reset */
                 {10, 100, -1},    {5025, 126, -1}, /* the result would be above 100 % */
                 {5025, 125, 100}, {5050, 125, 50}, {5050, 100, 0}, {5000, 100, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(40, 4, cases[i].all);
        put(48, 4, cases[i].held);
        assert_int_equal(parse(2208), 0);
        double is = metrics_residency(&m, &before, METRICS_ACC_POWER);
        if (is != cases[i].percent)
            fail_msg("%u of %u: %g", cases[i].held, cases[i].all, is);
    }
}

TEST(a_structure_cut_anywhere_is_refused)
{
    for (size_t i = 0; i < metrics_nlayouts; i++) {
        const struct metrics_layout *l = &metrics_layouts[i];
        blank(l->format, l->content, l->size);
        for (size_t n = 0; n < l->size; n += n < 8 ? 1 : 61) {
            assert_true(parse(n) < 0);
            assert_int_equal(err.kind, ERROR_INPUT);
            assert_true(err.why[0] != '\0');
        }
    }
}

TEST(unknown_versions_are_refused)
{
    blank(1, 9, 120);
    assert_true(parse(120) < 0);
    assert_non_null(strstr(err.why, "1.9"));
    blank(1, 3, 100);
    assert_true(parse(100) < 0);
    assert_non_null(strstr(err.why, "fewer"));
}
