/* The uprobe PMU: what is opened, what the kernel answers, and records made by hand. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "backends/usdt/usdt_impl.h"
#include "support/fake_perf.h"
#include "support/procfs.h"
#include "support/records.h"
#include "support/test.h"

enum { TYPE = 11 };
static struct fake_perf *fake;
static const struct usdt_place place = {.path = "/bin/prog", .offset = 0x1234, .probe = 7};

FIXTURE(setup)
{
    procfs_new();
    procfs_machine(2);
    procfs_write("/sys/bus/event_source/devices/uprobe/type", "%d\n", TYPE);
    procfs_write("/sys/bus/event_source/devices/uprobe/format/retprobe", "config:0\n");
    procfs_write("/sys/bus/event_source/devices/uprobe/format/ref_ctr_offset", "config:32-63\n");
    fake = fake_perf_new();
}

FIXTURE(teardown)
{
    fake_perf_free(fake);
    procfs_free();
}

static struct usdt_events *open_events(void)
{
    struct usdt_events *e = NULL;
    struct error err = ERROR_INIT;
    if (usdt_events_open(&e, &fake->sys, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    return e;
}

/* The open descriptor of this type on a CPU. */
static const struct fake_fd *opened(uint32_t type, int cpu)
{
    for (int i = 0; i < fake->used; i++)
        if (fake->fds[i].open && fake->fds[i].attr.type == type && fake->fds[i].cpu == cpu)
            return &fake->fds[i];
    return NULL;
}

TEST_WITH(a_place_is_watched_on_every_cpu, setup, teardown)
{
    struct usdt_events *e = open_events();
    struct usdt_place with = place;
    struct error err = ERROR_INIT;
    with.semaphore_offset = 0x4010;
    assert_int_equal(usdt_events_add(e, &with, &err), 0);
    for (int cpu = 0; cpu < 2; cpu++) {
        const struct fake_fd *d = opened(TYPE, cpu);
        assert_non_null(d);
        assert_int_equal(d->pid, -1);
        assert_int_equal(d->attr.inherit, 0); /* would break the program's clone */
        assert_true(d->attr.uprobe_path == (uintptr_t)place.path);
        assert_int_equal(d->attr.probe_offset, 0x1234);
        assert_true(d->attr.config == UINT64_C(0x4010) << 32); /* where sysfs says */
        assert_int_equal(d->attr.sample_period, 1);
        assert_int_equal(d->attr.use_clockid, 1);
        assert_int_equal(d->attr.clockid, CLOCK_MONOTONIC);
        assert_int_equal(fake->fds[d->output].cpu, cpu);
        assert_non_null(fake->fds[d->output].ring);
    }
    usdt_events_close(e);
}

/* A file whose notes were read may be replaced by a link to libc: its breakpoints would then be
 * set in every program's libc, at offsets that the file's owner chose. */
TEST_WITH(a_file_that_was_replaced_is_not_watched, setup, teardown)
{
    char path[512], other[512], root[512];
    struct stat st;
    struct error err = ERROR_INIT;
    snprintf(root, sizeof root, "%s", procfs_root());
    procfs_write("/lib/own.so", "own");
    procfs_write("/lib/everybodys.so", "libc");
    snprintf(path, sizeof path, "%s/lib/own.so", root);
    snprintf(other, sizeof other, "%s/lib/everybodys.so", root);
    assert_int_equal(stat(path, &st), 0);
    struct usdt_place own = {
        .path = path, .dev = st.st_dev, .inode = st.st_ino, .offset = 0x1234, .probe = 7};
    fake->uprobe_type = TYPE;
    struct usdt_events *e = open_events();
    assert_int_equal(usdt_events_add(e, &own, &err), 0);
    assert_true(opened(TYPE, 1)->uprobe_inode == st.st_ino);
    usdt_events_close(e);
    e = open_events();
    unlink(path);
    assert_int_equal(symlink(other, path), 0);
    assert_true(usdt_events_add(e, &own, &err) < 0);
    assert_int_equal(err.kind, ERROR_TARGET);
    assert_non_null(strstr(err.why, "replaced"));
    assert_null(opened(TYPE, 0));
    unlink(path);
    assert_true(usdt_events_add(e, &own, &err) < 0);
    assert_non_null(strstr(err.why, "No such file"));
    usdt_events_close(e);
}

/* sysfs says which bits the field has. */
TEST_WITH(another_layout_of_the_field, setup, teardown)
{
    procfs_write("/sys/bus/event_source/devices/uprobe/format/ref_ctr_offset", "config1:8-39\n");
    struct usdt_events *e = open_events();
    struct usdt_place with = place;
    struct error err = ERROR_INIT;
    with.semaphore_offset = UINT64_C(0x100000000); /* 33 bits */
    assert_true(usdt_events_add(e, &with, &err) < 0);
    assert_non_null(strstr(err.why, "does not fit"));
    assert_null(opened(TYPE, 0));
    usdt_events_close(e);
}

TEST_WITH(without_the_pmu_it_is_unsupported, setup, teardown)
{
    struct usdt_events *e;
    struct error err = ERROR_INIT;
    procfs_remove("/sys/bus/event_source/devices/uprobe");
    assert_true(usdt_events_open(&e, &fake->sys, &err) < 0);
    assert_int_equal(err.kind, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.why, "no uprobe PMU"));
    assert_non_null(strstr(err.help, "CONFIG_UPROBE_EVENTS"));
}

TEST_WITH(without_rights_it_says_so, setup, teardown)
{
    struct usdt_events *e;
    struct error err = ERROR_INIT;
    fake_perf_rule(fake, (struct fake_rule){TYPE, FAKE_ANY, FAKE_ANY, FAKE_ANY, .err = EACCES});
    e = open_events();
    assert_true(usdt_events_add(e, &place, &err) < 0);
    assert_int_equal(err.kind, ERROR_PERMISSION);
    assert_non_null(strstr(err.what, "/bin/prog+0x1234"));
    assert_non_null(strstr(err.why, "CAP_SYS_ADMIN"));
    usdt_events_close(e);
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, FAKE_ANY, .err = EPERM});
    assert_true(usdt_events_open(&e, &fake->sys, &err) < 0);
    assert_int_equal(err.kind, ERROR_PERMISSION);
}

TEST_WITH(descriptors_run_out, setup, teardown)
{
    struct error err = ERROR_INIT;
    struct usdt_events *e = open_events();
    fake->opens_max = 3; /* enough for two rings and a part of a place */
    assert_true(usdt_events_add(e, &place, &err) < 0);
    assert_int_equal(err.kind, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.help, "ulimit"));
    usdt_events_close(e);
}

TEST_WITH(little_memory_gives_smaller_rings, setup, teardown)
{
    size_t size;
    struct usdt_events *e = NULL;
    struct error err = ERROR_INIT;
    fake->map_max = (size_t)(512 << 10) + 3 * RING_PAGE;
    int rc = usdt_events_open(&e, &fake->sys, &err);
    assert_int_equal(rc, 0);
    assert_non_null(fake_perf_ring(fake, 1, &size));
    assert_true(size >= 64 << 10 && size < 4 << 20);
    usdt_events_close(e);
}

/* --- records --- */

struct bytes {
    uint64_t words[16];
    size_t n; /* bytes */
};

static void u32(struct bytes *b, uint32_t v)
{
    memcpy((char *)b->words + b->n, &v, sizeof v);
    b->n += sizeof v;
}

static void u64(struct bytes *b, uint64_t v)
{
    memcpy((char *)b->words + b->n, &v, sizeof v);
    b->n += sizeof v;
}

static struct bytes record(uint32_t type, uint16_t misc)
{
    struct bytes b = {.n = 0};
    u32(&b, type);
    u32(&b, misc); /* the size is written last */
    return b;
}

static void append(int cpu, struct bytes *b)
{
    size_t size;
    void *ring = fake_perf_ring(fake, cpu, &size);
    assert_non_null(ring);
    uint16_t n = (uint16_t)b->n;
    memcpy((char *)b->words + 6, &n, sizeof n);
    ring_append(ring, size, b->words, b->n);
}

static void trailer(struct bytes *b, uint32_t pid, uint32_t tid, uint64_t time)
{
    u32(b, pid);
    u32(b, tid);
    u64(b, time);
    u64(b, 1);
}

static void append_hit(int cpu, uint64_t id, uint32_t pid, uint32_t tid, uint64_t time)
{
    struct bytes b = record(PERF_RECORD_SAMPLE, 0);
    u64(&b, id);
    u32(&b, pid);
    u32(&b, tid);
    u64(&b, time);
    append(cpu, &b);
}

static struct usdt_moment seen[16];
static size_t nseen;

static void see(void *ctx, const struct usdt_moment *m)
{
    (void)ctx;
    assert_true(nseen < 16);
    seen[nseen++] = *m;
}

TEST_WITH(records_become_moments, setup, teardown)
{
    struct usdt_events *e = open_events();
    struct error err = ERROR_INIT;
    assert_int_equal(usdt_events_add(e, &place, &err), 0);
    uint64_t id = (uint64_t)(opened(TYPE, 1) - fake->fds) + 1000; /* as fake_perf numbers them */
    append_hit(1, id, 10, 11, 5000);
    append_hit(1, 999999, 10, 11, 5001); /* of an unknown event */
    for (int exit = 0; exit < 2; exit++) {
        struct bytes b = record(exit ? PERF_RECORD_EXIT : PERF_RECORD_FORK, 0);
        u32(&b, 20), u32(&b, 10), u32(&b, 21), u32(&b, 11), u64(&b, 6000);
        trailer(&b, 20, 21, 6000);
        append(0, &b);
    }
    struct bytes comm = record(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
    u32(&comm, 10), u32(&comm, 11);
    memcpy((char *)comm.words + comm.n, "prog\0\0\0", 8);
    comm.n += 8;
    trailer(&comm, 10, 11, 7000);
    append(0, &comm);
    struct bytes lost = record(PERF_RECORD_LOST, 0);
    u64(&lost, id), u64(&lost, 12);
    trailer(&lost, 10, 11, 8000);
    append(0, &lost);
    nseen = 0;
    assert_int_equal(usdt_events_read(e, see, NULL), 12);
    assert_int_equal(nseen, 4);
    assert_int_equal(seen[0].what, USDT_FORK);
    assert_int_equal(seen[0].pid, 20);
    assert_int_equal(seen[0].parent, 10);
    assert_int_equal(seen[0].time, 6000);
    assert_int_equal(seen[1].what, USDT_EXIT);
    assert_int_equal(seen[1].tid, 21);
    assert_int_equal(seen[2].what, USDT_EXEC);
    assert_string_equal(seen[2].name, "prog");
    assert_int_equal(seen[2].time, 7000);
    assert_int_equal(seen[3].what, USDT_HIT);
    assert_int_equal(seen[3].probe, 7);
    assert_int_equal(seen[3].pid, 10);
    assert_int_equal(seen[3].tid, 11);
    assert_int_equal(seen[3].time, 5000);
    nseen = 0;
    assert_int_equal(usdt_events_read(e, see, NULL), 0); /* nothing is reported twice */
    assert_int_equal(nseen, 0);
    usdt_events_close(e);
}

/* Records that are too short, of unknown types, or of impossible sizes are skipped. */
TEST_WITH(damaged_records_are_passed_over, setup, teardown)
{
    struct usdt_events *e = open_events();
    struct error err = ERROR_INIT;
    assert_int_equal(usdt_events_add(e, &place, &err), 0);
    static const uint32_t types[] = {PERF_RECORD_SAMPLE, PERF_RECORD_FORK, PERF_RECORD_EXIT,
                                     PERF_RECORD_COMM,   PERF_RECORD_LOST, 77};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int words = 0; words < 2; words++) {
            struct bytes b = record(types[t], 0);
            for (int i = 0; i < words; i++)
                u64(&b, UINT64_MAX);
            append(0, &b);
        }
    nseen = 0;
    usdt_events_read(e, see, NULL);
    assert_int_equal(nseen, 0);
    size_t size;
    struct perf_event_header h = {.type = PERF_RECORD_SAMPLE, .size = 4};
    ring_append(fake_perf_ring(fake, 0, &size), size, &h, sizeof h);
    assert_true(usdt_events_read(e, see, NULL) > 0); /* what follows it is lost and counted */
    assert_int_equal(nseen, 0);
    usdt_events_close(e);
}
