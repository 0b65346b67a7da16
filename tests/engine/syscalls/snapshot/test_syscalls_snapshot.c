/* Pictures of a trace: exact sums, bounded memory, and that they do not change. */
#include <stdio.h>
#include <string.h>

#include "engine/syscalls/calls.h"
#include "engine/syscalls/snapshot/gather.h"
#include "engine/syscalls/stacks.h"
#include "support/syscall_scene.h"
#include "support/syscalls_snapshot_scene.h"
#include "support/test.h"

static void add(void *ctx, const struct syscall_event *e)
{
    syscalls_gather_add(ctx, e);
}

static struct syscall_scene begin(const struct syscalls_limits *limits)
{
    return (struct syscall_scene){.pid = 100,
                                  .tid = 100,
                                  .now_ns = 5000,
                                  .call_ns = 1000,
                                  .sink = {.event = add, .ctx = syscalls_gather_new(limits)}};
}

static const struct syscalls_call_row *call_of(const struct syscalls_snapshot *p, const char *name)
{
    for (size_t i = 0; i < p->ncalls; i++)
        if (strcmp(p->calls[i].name, name) == 0)
            return &p->calls[i];
    fail_msg("no row for %s", name);
    return NULL;
}

static const struct syscalls_file_row *file_of(const struct syscalls_snapshot *p, const char *name)
{
    for (size_t i = 0; i < p->nfiles; i++)
        if (strcmp(p->files[i].name, name) == 0)
            return &p->files[i];
    fail_msg("no row for %s", name);
    return NULL;
}

TEST(rows_have_what_happened)
{
    struct syscall_scene s = begin(&syscalls_limits_live);
    scene_path(&s, "openat", 3, 1, "/etc/hosts");
    scene_path(&s, "openat", -2, 1, "/none");
    for (int i = 1; i <= 99; i++)
        scene_call(&s, "read", 10, 3, 0, 10, 0);
    s.call_ns = 1000000;
    scene_call(&s, "read", 0, 3, 0, 10, 0);
    struct syscalls_snapshot *p = syscalls_gather_snapshot(s.sink.ctx, 0);
    const struct syscalls_call_row *read = call_of(p, "read"), *open = call_of(p, "openat");
    assert_int_equal(p->count, 102);
    assert_int_equal(p->errors, 1);
    assert_int_equal(p->lost, 0);
    assert_int_equal(read->calls, 100);
    assert_int_equal(read->bytes, 990);
    assert_int_equal(read->total_ns, 99 * 1000 + 1000000);
    assert_int_equal(read->max_ns, 1000000);
    assert_true(read->p50 > 900 && read->p50 < 1100);
    assert_true(read->p99 < 1000000.0 * 1.05);
    assert_int_equal(open->errors, 1);
    double shares = 0;
    for (size_t i = 0; i < p->ncalls; i++)
        shares += p->calls[i].share;
    assert_true(shares > 0.9999 && shares < 1.0001);
    assert_string_equal(p->calls[0].name, "read"); /* most time first */
    const struct syscalls_file_row *hosts = file_of(p, "/etc/hosts");
    assert_int_equal(hosts->reads, 100);
    assert_int_equal(hosts->read_bytes, 990);
    assert_int_equal(hosts->open, 1);
    assert_int_equal(p->nprocesses, 1);
    assert_int_equal(p->processes[0].calls, 102);
    syscalls_snapshot_unref(p);
    syscalls_gather_free(s.sink.ctx);
}

/* The sums of origins against a plain count of the events that were added. */
TEST(origins_add_up_to_the_events)
{
    enum { FUNCTIONS = 9, EVENTS = 5000 };
    struct syscall_frame frames[FUNCTIONS];
    char names[FUNCTIONS][8];
    uint64_t calls[FUNCTIONS][2] = {0}, time[FUNCTIONS][2] = {0};
    uint32_t random = 12345;
    for (int i = 0; i < FUNCTIONS; i++) {
        snprintf(names[i], sizeof names[i], "f%d", i);
        frames[i] = (struct syscall_frame){
            .function = names[i], .module = "/bin/p", .file = "p.c", .line = 10 + i};
    }
    struct syscalls_gather *g = syscalls_gather_new(&syscalls_limits_live);
    for (uint64_t i = 0; i < EVENTS; i++) {
        const struct syscall_frame *list[3];
        random = random * 1664525 + 1013904223;
        const unsigned who = random >> 8 & 7, above = random >> 12 & 7, what = random >> 16 & 1;
        list[0] = &frames[who];
        list[1] = &frames[above];
        list[2] = &frames[8];
        const struct syscall_stack stack = {.id = who * 8 + above, .n = 3, .frames = list};
        const uint64_t ns = random >> 20;
        syscalls_gather_add(g, &(struct syscall_event){.kind = SYSCALL_CALL,
                                                       .pid = 1,
                                                       .tid = 1,
                                                       .number = what,
                                                       .begin_ns = i * 10000 + 1,
                                                       .end_ns = i * 10000 + 1 + ns,
                                                       .stack = &stack});
        calls[who][what]++;
        time[who][what] += ns;
    }
    struct syscalls_snapshot *p = syscalls_gather_snapshot(g, 0);
    syscalls_gather_free(g); /* the picture has its own */
    assert_int_equal(p->norigins, 16);
    uint64_t sum = 0, stacks = 0;
    for (size_t i = 0; i < p->norigins; i++) {
        const struct syscalls_origin_row *r = &p->origins[i];
        const int who = r->origin->line - 10;
        assert_string_equal(r->origin->function, names[who]);
        assert_int_equal(r->calls, calls[who][r->number]);
        assert_int_equal(r->total_ns, time[who][r->number]);
        assert_true(i == 0 || r[-1].total_ns >= r->total_ns);
        assert_ptr_equal(syscall_stack_maker(r->stack), r->origin);
        sum += r->calls;
        stacks += r->stacks;
    }
    assert_int_equal(sum, EVENTS);
    assert_int_equal(stacks, p->nstack_sums);
    syscalls_snapshot_unref(p);
}

/* A call that did not return is not in the table, as in `trace -c`. */
TEST(calls_that_did_not_return_are_apart)
{
    struct syscall_scene s = begin(&syscalls_limits_live);
    struct syscall_event e = {.kind = SYSCALL_CALL,
                              .flags = SYSCALL_UNFINISHED,
                              .pid = 100,
                              .tid = 100,
                              .begin_ns = 10,
                              .end_ns = 20,
                              .number = (uint32_t)syscall_number(SYSCALL_X86_64, "exit_group")};
    scene_call(&s, "getpid", 100, 0, 0, 0, 0);
    syscalls_gather_add(s.sink.ctx, &e);
    struct syscalls_snapshot *p = syscalls_gather_snapshot(s.sink.ctx, 0);
    assert_int_equal(p->count, 1);
    assert_int_equal(p->ncalls, 1);
    assert_int_equal(p->unfinished, 1);
    assert_int_equal(p->tail.n, 2);
    syscalls_snapshot_unref(p);
    syscalls_gather_free(s.sink.ctx);
}

/* However long it takes: the parts of the time line have all calls, and each is in its part. */
TEST(the_time_line_has_all_calls)
{
    struct syscall_scene s = begin(&syscalls_limits_live);
    for (uint64_t i = 0; i < 3000; i++) {
        s.now_ns = 1000 + i * i * 100000;
        scene_call(&s, i % 3 ? "getpid" : "close", i % 3 ? 100 : -9, 99, 0, 0, 0);
    }
    struct syscalls_snapshot *p = syscalls_gather_snapshot(s.sink.ctx, 0);
    uint64_t calls = 0, errors = 0;
    for (uint32_t i = 0; i < p->rates.n; i++) {
        calls += p->rates.calls[i];
        errors += p->rates.errors[i];
    }
    assert_int_equal(calls, 3000);
    assert_int_equal(errors, 1000);
    assert_true(p->rates.n > SYSCALLS_RATES / 2 && p->rates.n <= SYSCALLS_RATES);
    assert_true(p->rates.n * p->rates.width_ns >= p->end_ns - p->rates.begin_ns);
    assert_true(p->rates.calls[0] > p->rates.calls[p->rates.n - 1]); /* there it was denser */
    syscalls_snapshot_unref(p);
    syscalls_gather_free(s.sink.ctx);
}

/* Memory is bounded, sums are exact, and the picture says what it does not have. */
TEST(memory_is_bounded_and_sums_are_exact)
{
    const struct syscalls_limits small = {.chunks = 2, .rows = 5, .facts = 200};
    struct syscall_scene s = begin(&small);
    char path[64];
    for (int i = 0; i < 5000; i++) {
        snprintf(path, sizeof path, "/tmp/file%d", i);
        scene_path(&s, "openat", 3, 1, path);
        scene_call(&s, "close", 0, 3, 0, 0, 0);
    }
    struct syscalls_snapshot *p = syscalls_gather_snapshot(s.sink.ctx, 0);
    assert_int_equal(p->count, 10000);
    assert_int_equal(call_of(p, "close")->calls, 5000);
    assert_true(p->full);
    assert_true(p->all_files < 200);
    assert_int_equal(p->nfiles, 5);
    assert_true(p->tail.n <= 2 * TAIL_CHUNK && p->tail.n > TAIL_CHUNK);
    struct syscalls_event_row last;
    syscalls_snapshot_event(p, p->tail.n - 1, &last);
    assert_int_equal(last.number, 9999);
    syscalls_snapshot_unref(p);
    syscalls_gather_free(s.sink.ctx);
}

/* A picture shows its moment, whatever comes later and when the trace is gone. */
TEST(pictures_do_not_change)
{
    const struct syscalls_limits small = {.chunks = 1, .rows = 0, .facts = 0};
    struct syscall_scene s = begin(&small);
    char before[512], after[512];
    struct syscalls_event_row row;
    scene_path(&s, "openat", 3, 1, "/etc/hosts");
    struct syscalls_snapshot *p = syscalls_gather_snapshot(s.sink.ctx, 0);
    syscalls_snapshot_event(p, 0, &row);
    syscalls_event_text(&row.e, before, sizeof before);
    for (int i = 0; i < 3 * TAIL_CHUNK; i++)
        scene_path(&s, "openat", 3, 1, "/etc/passwd");
    struct syscalls_snapshot *later = syscalls_gather_snapshot(s.sink.ctx, 0);
    syscalls_gather_free(s.sink.ctx);
    assert_int_equal(p->count, 1);
    assert_int_equal(p->tail.n, 1);
    syscalls_snapshot_event(p, 0, &row);
    syscalls_event_text(&row.e, after, sizeof after);
    assert_string_equal(before, after);
    assert_non_null(strstr(after, "\"/etc/hosts\""));
    assert_int_equal(later->count, 3 * TAIL_CHUNK + 1);
    assert_true(later->serial != p->serial);
    syscalls_snapshot_unref(later);
    syscalls_snapshot_unref(p);
}

/* What rooftop's own code did in the process before it executed the command is not the command's.
 */
TEST(what_comes_before_exec_is_left_out)
{
    struct syscall_scene s = begin(&syscalls_limits_live);
    syscalls_gather_after_exec(s.sink.ctx, 100);
    scene_call(&s, "read", 1, 3, 0, 1, 0);
    scene_call(&s, "getrusage", 0, 0, 0, 0, 0);
    scene_exec(&s, "/bin/true");
    scene_call(&s, "brk", 0, 0, 0, 0, 0);
    struct syscalls_snapshot *p = syscalls_gather_snapshot(s.sink.ctx, 0);
    for (size_t i = 0; i < p->ncalls; i++)
        if (strcmp(p->calls[i].name, "read") == 0 || strcmp(p->calls[i].name, "getrusage") == 0)
            fail_msg("%s is in the picture", p->calls[i].name);
    assert_int_equal(call_of(p, "brk")->calls, 1);
    syscalls_snapshot_unref(p);
    syscalls_gather_free(s.sink.ctx);
}

TEST(findings_are_there_while_it_goes_on)
{
    struct syscall_scene s = begin(&syscalls_limits_live);
    scene_path(&s, "openat", 3, 1, "/etc/services");
    for (int i = 0; i < 3000; i++)
        scene_call(&s, "read", 1, 3, 0, 1, 0);
    struct syscalls_snapshot *p = syscalls_gather_snapshot(s.sink.ctx, 0);
    bool bytes = false, loop = false;
    for (size_t i = 0; i < p->nfindings; i++) {
        bytes |= strcmp(p->findings[i].rule->id, "one_byte_reads") == 0;
        loop |= strcmp(p->findings[i].rule->id, "tight_loop") == 0; /* the stretch is still open */
    }
    assert_true(bytes);
    assert_true(loop);
    syscalls_snapshot_unref(p);
    syscalls_gather_free(s.sink.ctx);
}

TEST(lost_calls_are_counted_once)
{
    struct syscall_scene s = begin(&syscalls_limits_live);
    const struct syscall_event lost = {.kind = SYSCALL_LOST, .args = {7}};
    syscalls_gather_add(s.sink.ctx, &lost);
    syscalls_gather_lost(s.sink.ctx, 7); /* the file's own sum of them */
    struct syscalls_snapshot *p = syscalls_gather_snapshot(s.sink.ctx, 0);
    assert_int_equal(p->lost, 7);
    syscalls_snapshot_unref(p);
    syscalls_gather_free(s.sink.ctx);
}

/* Two processes with the same number are two rows, even where no more processes are noted. */
TEST(a_process_number_comes_again)
{
    const struct syscalls_limits small = {.chunks = 2, .rows = 0, .facts = 800};
    struct syscall_scene s = begin(&small);
    scene_call(&s, "getpid", 100, 0, 0, 0, 0);
    for (int i = 0; i < 2; i++) {
        s.pid = s.tid = 100;
        scene_start(&s, 200, "child");
        scene_call(&s, "getpid", 200, 0, 0, 0, 0);
        if (i == 0)
            scene_exit(&s, 0, 0);
    }
    char path[64];
    for (int i = 0; i < 1000; i++) {
        snprintf(path, sizeof path, "/tmp/file%d", i);
        scene_path(&s, "openat", 3, 1, path);
    }
    scene_exit(&s, 9, 0); /* after memory was full */
    s.pid = s.tid = 100;
    scene_start(&s, 200, "not noted");
    scene_exit(&s, 2 << 8, 0);
    struct syscalls_snapshot *p = syscalls_gather_snapshot(s.sink.ctx, 0);
    assert_true(p->full);
    assert_int_equal(p->nprocesses, 3);
    int seen = 0;
    for (size_t i = 0; i < p->nprocesses; i++) {
        const struct syscalls_process_row *r = &p->processes[i];
        seen |= 1 << r->index;
        if (r->pid == 100)
            continue;
        assert_true(r->ended);
        assert_int_equal(r->status, r->index == 1 ? 0 : 9);
    }
    assert_int_equal(seen, 7);
    syscalls_snapshot_unref(p);
    syscalls_gather_free(s.sink.ctx);
}
