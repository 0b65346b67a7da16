/* Which address ranges a replay needs. */
#include "backends/replay/device/device.h"
#include "support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE 0x7f0000000000u
#define MIB  (1u << 20)

static struct capture_region regions[8];
static struct capture c;
static struct replay_plan p;
static struct error err;

static void add(uint64_t base, uint64_t size, enum capture_segment segment)
{
    regions[c.nregions++] = (struct capture_region){.base = base, .size = size, .segment = segment};
    c.regions = regions;
}

FIXTURE(start)
{
    c = (struct capture){0};
    p = (struct replay_plan){0};
}
FIXTURE(finish)
{
    replay_plan_free(&p);
}

static void expect(size_t i, uint64_t base, uint64_t size, bool host, size_t first, size_t n)
{
    assert_true(i < p.n);
    assert_int_equal(p.ranges[i].base, base);
    assert_int_equal(p.ranges[i].size, size);
    assert_int_equal(p.ranges[i].host, host);
    assert_int_equal(p.ranges[i].first, first);
    assert_int_equal(p.ranges[i].n, n);
}

TEST_WITH(test_a_region_becomes_its_blocks, start, finish)
{
    add(BASE + 5, 2 * MIB, CAPTURE_DEVICE);
    assert_int_equal(replay_plan_make(&p, &c, &err), 0);
    assert_int_equal(p.n, 1);
    expect(0, BASE, 4 * MIB, false, 0, 1);
    assert_int_equal(p.device_bytes, 4 * MIB);
    assert_int_equal(p.host_bytes, 0);
}

/* Three allocations that the runtime cut from one block, and one in the next block. */
TEST_WITH(test_neighbours_in_a_block_are_one, start, finish)
{
    add(BASE, 400000, CAPTURE_DEVICE);
    add(BASE + 0x62000, 400000, CAPTURE_DEVICE);
    add(BASE + 0xc4000, 2 * MIB, CAPTURE_DEVICE);
    add(BASE + 4 * MIB, 4096, CAPTURE_DEVICE);
    assert_int_equal(replay_plan_make(&p, &c, &err), 0);
    assert_int_equal(p.n, 2);
    expect(0, BASE, 4 * MIB, false, 0, 3);
    expect(1, BASE + 4 * MIB, 2 * MIB, false, 3, 1);
}

TEST_WITH(test_host_memory_is_rounded_to_pages, start, finish)
{
    add(BASE + 100, 8192, CAPTURE_HOST);
    add(BASE + 0x2800, 10, CAPTURE_KERNARG_POOL); /* the same page */
    add(BASE + 0x8000, 4096, CAPTURE_HOST);
    assert_int_equal(replay_plan_make(&p, &c, &err), 0);
    assert_int_equal(p.n, 2);
    expect(0, BASE, 0x3000, true, 0, 2);
    expect(1, BASE + 0x8000, 4096, true, 2, 1);
    assert_int_equal(p.host_bytes, 0x4000);
}

/* Both kinds in one block: each kind keeps its pages, and reservations end where the other kind
 * begins. */
TEST_WITH(test_kinds_do_not_take_each_others_pages, start, finish)
{
    add(BASE + 0x10000, 0x1000, CAPTURE_DEVICE);
    add(BASE + 0x20000, 0x1800, CAPTURE_HOST);
    add(BASE + 0x30000, 0x1000, CAPTURE_DEVICE);
    assert_int_equal(replay_plan_make(&p, &c, &err), 0);
    assert_int_equal(p.n, 3);
    expect(0, BASE, 0x20000, false, 0, 1);
    expect(1, BASE + 0x20000, 0x2000, true, 1, 1);
    expect(2, BASE + 0x22000, 2 * MIB - 0x22000, false, 2, 1);
}

TEST_WITH(test_both_kinds_in_a_page_are_refused, start, finish)
{
    add(BASE, 0x1800, CAPTURE_DEVICE);
    add(BASE + 0x1900, 0x100, CAPTURE_HOST);
    assert_int_equal(replay_plan_make(&p, &c, &err), -EINVAL);
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_non_null(strstr(err.why, "in one page"));
    assert_null(p.ranges);
}

TEST_WITH(test_addresses_that_nobody_has_are_refused, start, finish)
{
    add(UINT64_MAX - 10, 5, CAPTURE_DEVICE);
    assert_int_equal(replay_plan_make(&p, &c, &err), -EINVAL);
    c.nregions = 0;
    add((1ull << 57) - 4096, 8192, CAPTURE_DEVICE);
    assert_int_equal(replay_plan_make(&p, &c, &err), -EINVAL);
    c.nregions = 0;
    add(0, 4096, CAPTURE_DEVICE);
    assert_int_equal(replay_plan_make(&p, &c, &err), -EINVAL);
}

TEST_WITH(test_nothing_captured_needs_nothing, start, finish)
{
    assert_int_equal(replay_plan_make(&p, &c, &err), 0);
    assert_int_equal(p.n, 0);
    add(BASE, 0, CAPTURE_DEVICE);
    replay_plan_free(&p);
    assert_int_equal(replay_plan_make(&p, &c, &err), 0);
    assert_int_equal(p.n, 0);
}
