#include "backends/unwind/record.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "support/records.h"
#include "support/test.h"

static const struct record_ids ids = {.pid = 12, .tid = 13, .time = 777, .cpu = 5};

static void expect_ids(const struct record *r)
{
    assert_int_equal(r->pid, 12);
    assert_int_equal(r->tid, 13);
    assert_int_equal(r->time, 777);
    assert_int_equal(r->cpu, 5);
}

TEST(a_sample_is_read)
{
    uint64_t buf[64], chain[] = {PERF_CONTEXT_USER, 0x40, 0x50};
    struct record r;
    size_t n = record_make_sample(buf, ids, PERF_RECORD_MISC_USER, 0x40, chain, 3);
    assert_int_equal(record_parse(buf, n, CALLGRAPH_FP, 0, &r), 0);
    expect_ids(&r);
    assert_int_equal(r.sample.ip, 0x40);
    assert_int_equal(r.sample.period, 1000);
    assert_int_equal(r.sample.nchain, 3);
    assert_int_equal(r.sample.chain[2], 0x50);
    assert_int_equal(record_time(buf, n), 777);
}

TEST(a_sample_with_its_stack_is_read)
{
    uint64_t buf[64], regs[3] = {1, 2, 3}, stack[4] = {10, 11, 12, 13};
    struct record r;
    size_t n = record_make_dwarf_sample(buf, ids, 0x40, regs, 3, stack, sizeof stack, 24);
    assert_int_equal(record_parse(buf, n, CALLGRAPH_DWARF, 3, &r), 0);
    expect_ids(&r);
    assert_true(r.sample.user_regs);
    assert_int_equal(r.sample.nregs, 3);
    assert_int_equal(r.sample.regs[2], 3);
    assert_int_equal(r.sample.nstack, 24); /* the part that the kernel could copy */
    assert_memory_equal(r.sample.stack, stack, 24);
    /* says that more is valid than the record has */
    n = record_make_dwarf_sample(buf, ids, 0x40, regs, 3, stack, sizeof stack, 1 << 20);
    assert_int_equal(record_parse(buf, n, CALLGRAPH_DWARF, 3, &r), 0);
    assert_int_equal(r.sample.nstack, sizeof stack);
}

TEST(tasks_and_mappings_are_read)
{
    uint64_t buf[64];
    struct record r;
    size_t n = record_make_mmap2(buf, ids, 0x1000, 0x2000, 0x3000, 99, "/bin/x y");
    assert_int_equal(record_parse(buf, n, CALLGRAPH_FP, 0, &r), 0);
    expect_ids(&r);
    assert_int_equal(r.mapping.start, 0x1000);
    assert_int_equal(r.mapping.length, 0x2000);
    assert_int_equal(r.mapping.offset, 0x3000);
    assert_int_equal(r.mapping.inode, 99);
    assert_string_equal(r.mapping.path, "/bin/x y");
    n = record_make_task(buf, ids, PERF_RECORD_FORK, 11);
    assert_int_equal(record_parse(buf, n, CALLGRAPH_FP, 0, &r), 0);
    expect_ids(&r);
    assert_int_equal(r.parent, 11);
    n = record_make_task(buf, ids, PERF_RECORD_EXIT, 11);
    assert_int_equal(record_parse(buf, n, CALLGRAPH_FP, 0, &r), 0);
    expect_ids(&r);
    n = record_make_comm(buf, ids, 1);
    assert_int_equal(record_parse(buf, n, CALLGRAPH_FP, 0, &r), 0);
    assert_true(r.exec);
    n = record_make_comm(buf, ids, 0);
    assert_int_equal(record_parse(buf, n, CALLGRAPH_FP, 0, &r), 0);
    assert_false(r.exec);
    n = record_make_lost(buf, ids, 42);
    assert_int_equal(record_parse(buf, n, CALLGRAPH_FP, 0, &r), 0);
    assert_int_equal(r.lost, 42);
    assert_int_equal(record_time(buf, n), 777);
}

/* Records cut to every length, with a header that has this length: refused or read, never beyond
 * the end. */
TEST(records_that_are_cut_are_refused)
{
    uint64_t buf[64], regs[3] = {0}, stack[4] = {0}, chain[] = {1, 2, 3};
    struct record r;
    size_t whole = record_make_dwarf_sample(buf, ids, 1, regs, 3, stack, sizeof stack, 32);
    for (size_t n = 0; n < whole; n += 8) {
        uint16_t size = (uint16_t)n;
        uint8_t *exact = malloc(n ? n : 1);
        record_make_dwarf_sample(buf, ids, 1, regs, 3, stack, sizeof stack, 32);
        memcpy((uint8_t *)buf + 6, &size, 2);
        memcpy(exact, buf, n);
        assert_int_equal(record_parse(exact, n, CALLGRAPH_DWARF, 3, &r), -EINVAL);
        free(exact);
    }
    /* a chain that claims to be longer than the record, also by overflow */
    static const uint64_t counts[] = {6, UINT64_MAX, UINT64_MAX / 8 + 2};
    for (size_t i = 0; i < 3; i++) {
        size_t n = record_make_sample(buf, ids, 0, 1, chain, 3);
        memcpy((uint8_t *)buf + 8 + 40, &counts[i], 8);
        assert_int_equal(record_parse(buf, n, CALLGRAPH_FP, 0, &r), -EINVAL);
    }
}

TEST(a_path_without_an_end_is_refused)
{
    uint64_t buf[64];
    struct record r;
    size_t n = record_make_mmap2(buf, ids, 0x1000, 0x2000, 0, 1, "1234567");
    memset((uint8_t *)buf + n - 24 - 8, 'x', 8);
    assert_int_equal(record_parse(buf, n, CALLGRAPH_FP, 0, &r), -EINVAL);
}

TEST(unknown_types_pass)
{
    uint64_t buf[64];
    struct record r;
    size_t n = record_make_lost(buf, ids, 1);
    uint32_t type = 9999;
    memcpy(buf, &type, sizeof type);
    assert_int_equal(record_parse(buf, n, CALLGRAPH_FP, 0, &r), 0);
    expect_ids(&r);
}

TEST_MAIN(NULL, NULL)
