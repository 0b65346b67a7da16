#include "backends/perf_common/perf_record.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "support/records.h"
#include "support/test.h"

/* What the records of support/records.h have. */
enum {
    FIELDS = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
             PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
    DUMPS = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER
};

static const struct record_format fields = {.sample_type = FIELDS},
                                  dumps = {.sample_type = FIELDS | DUMPS, .nregs = 3};

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
    assert_int_equal(record_parse(buf, n, &fields, &r), 0);
    expect_ids(&r);
    assert_int_equal(r.sample.ip, 0x40);
    assert_int_equal(r.sample.period, 1000);
    assert_int_equal(r.sample.nchain, 3);
    assert_int_equal(r.sample.chain[2], 0x50);
    assert_int_equal(record_time(buf, n, &fields), 777);
}

TEST(a_sample_with_its_stack_is_read)
{
    uint64_t buf[64], regs[3] = {1, 2, 3}, stack[4] = {10, 11, 12, 13};
    struct record r;
    size_t n = record_make_dwarf_sample(buf, ids, 0x40, regs, 3, stack, sizeof stack, 24);
    assert_int_equal(record_parse(buf, n, &dumps, &r), 0);
    expect_ids(&r);
    assert_true(r.sample.user_regs);
    assert_int_equal(r.sample.nregs, 3);
    assert_int_equal(r.sample.regs[2], 3);
    assert_int_equal(r.sample.nstack, 24); /* the part that the kernel could copy */
    assert_memory_equal(r.sample.stack, stack, 24);
    /* says that more is valid than the record has */
    n = record_make_dwarf_sample(buf, ids, 0x40, regs, 3, stack, sizeof stack, 1 << 20);
    assert_int_equal(record_parse(buf, n, &dumps, &r), 0);
    assert_int_equal(r.sample.nstack, sizeof stack);
}

/* perf_event_open(2): an identifier stands first in a sample and last in all other records. */
TEST(events_with_an_identifier_are_read)
{
    static const struct record_format named = {.sample_type = PERF_SAMPLE_IDENTIFIER |
                                                              PERF_SAMPLE_TID | PERF_SAMPLE_TIME};
    struct {
        struct perf_event_header h;
        uint64_t id;
        uint32_t pid, tid;
        uint64_t time;
    } hit = {{PERF_RECORD_SAMPLE, 0, sizeof hit}, 99, 12, 13, 777};
    struct {
        struct perf_event_header h;
        uint32_t of, also;
        char name[8];
        uint32_t pid, tid;
        uint64_t time, id;
    } comm = {{PERF_RECORD_COMM, 0, sizeof comm}, 12, 13, "name", 12, 13, 777, 99};
    struct record r;
    assert_int_equal(record_parse(&hit, sizeof hit, &named, &r), 0);
    assert_int_equal(r.id, 99);
    assert_int_equal(r.pid, 12);
    assert_int_equal(r.tid, 13);
    assert_int_equal(r.time, 777);
    assert_int_equal(record_time(&hit, sizeof hit, &named), 777);
    assert_int_equal(record_parse(&comm, sizeof comm, &named, &r), 0);
    assert_int_equal(r.time, 777);
    assert_int_equal(r.comm.length, 4);
    assert_memory_equal(r.comm.name, "name", 4);
    assert_int_equal(record_time(&comm, sizeof comm, &named), 777);
}

/* linux/perf_event.h, PERF_RECORD_SAMPLE: what stands between, before and behind the call chain. */
TEST(a_sample_with_all_fields_before_its_stack_is_read)
{
    static const struct record_format all = {
        .sample_type = (2 * PERF_SAMPLE_STACK_USER - 1) | PERF_SAMPLE_IDENTIFIER,
        .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
                       PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID,
        .branch_type = PERF_SAMPLE_BRANCH_HW_INDEX,
        .nregs = 2};
    const uint64_t tid = (UINT64_C(13) << 32) | 12;
    uint64_t body[] = {0,
                       99,
                       0x40,
                       tid,
                       777,
                       1,
                       99,
                       2,
                       5,
                       1000, /* identifier to period */
                       2,
                       8,
                       8,
                       50,
                       100,
                       60,
                       101, /* counts of a group */
                       2,
                       PERF_CONTEXT_USER,
                       0x40, /* call chain */
                       12,
                       7, /* 12 bytes of a tracepoint */
                       1,
                       3,
                       0x10,
                       0x20,
                       0, /* branches */
                       PERF_SAMPLE_REGS_ABI_64,
                       21,
                       22, /* registers */
                       16,
                       31,
                       32,
                       8}; /* stack */
    const struct perf_event_header h = {PERF_RECORD_SAMPLE, 0, sizeof body};
    struct record r;
    memcpy(body, &h, sizeof h);
    assert_int_equal(record_parse(body, sizeof body, &all, &r), 0);
    expect_ids(&r);
    assert_int_equal(r.id, 99);
    assert_int_equal(r.sample.ip, 0x40);
    assert_int_equal(r.sample.period, 1000);
    assert_int_equal(r.sample.nchain, 2);
    assert_int_equal(r.sample.chain[1], 0x40);
    assert_int_equal(r.sample.nregs, 2);
    assert_int_equal(r.sample.regs[1], 22);
    assert_int_equal(r.sample.nstack, 8);
    assert_int_equal(record_time(body, sizeof body, &all), 777);
}

TEST(tasks_and_mappings_are_read)
{
    uint64_t buf[64];
    struct record r;
    size_t n = record_make_mmap2(buf, ids, 0x1000, 0x2000, 0x3000, 99, "/bin/x y");
    assert_int_equal(record_parse(buf, n, &fields, &r), 0);
    expect_ids(&r);
    assert_int_equal(r.mapping.start, 0x1000);
    assert_int_equal(r.mapping.length, 0x2000);
    assert_int_equal(r.mapping.offset, 0x3000);
    assert_int_equal(r.mapping.inode, 99);
    assert_string_equal(r.mapping.path, "/bin/x y");
    n = record_make_task(buf, ids, PERF_RECORD_FORK, 11);
    assert_int_equal(record_parse(buf, n, &fields, &r), 0);
    expect_ids(&r);
    assert_int_equal(r.parent, 11);
    n = record_make_task(buf, ids, PERF_RECORD_EXIT, 11);
    assert_int_equal(record_parse(buf, n, &fields, &r), 0);
    expect_ids(&r);
    n = record_make_comm(buf, ids, 1);
    assert_int_equal(record_parse(buf, n, &fields, &r), 0);
    assert_true(r.comm.exec);
    n = record_make_comm(buf, ids, 0);
    assert_int_equal(record_parse(buf, n, &fields, &r), 0);
    assert_false(r.comm.exec);
    n = record_make_lost(buf, ids, 42);
    assert_int_equal(record_parse(buf, n, &fields, &r), 0);
    assert_int_equal(r.lost, 42);
    assert_int_equal(record_time(buf, n, &fields), 777);
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
        assert_int_equal(record_parse(exact, n, &dumps, &r), -EINVAL);
        free(exact);
    }
    /* a chain that claims to be longer than the record, also by overflow */
    static const uint64_t counts[] = {6, UINT64_MAX, UINT64_MAX / 8 + 2};
    for (size_t i = 0; i < 3; i++) {
        size_t n = record_make_sample(buf, ids, 0, 1, chain, 3);
        memcpy((uint8_t *)buf + 8 + 40, &counts[i], 8);
        assert_int_equal(record_parse(buf, n, &fields, &r), -EINVAL);
    }
}

TEST(a_path_without_an_end_is_refused)
{
    uint64_t buf[64];
    struct record r;
    size_t n = record_make_mmap2(buf, ids, 0x1000, 0x2000, 0, 1, "1234567");
    memset((uint8_t *)buf + n - 24 - 8, 'x', 8);
    assert_int_equal(record_parse(buf, n, &fields, &r), -EINVAL);
}

TEST(unknown_types_pass)
{
    uint64_t buf[64];
    struct record r;
    size_t n = record_make_lost(buf, ids, 1);
    uint32_t type = 9999;
    memcpy(buf, &type, sizeof type);
    assert_int_equal(record_parse(buf, n, &fields, &r), 0);
    expect_ids(&r);
}
