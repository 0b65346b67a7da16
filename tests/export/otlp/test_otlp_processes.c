/* Processes that samples showed as spans: parents, times, zombies, pids that are used again. */
#include <stdio.h>
#include <string.h>

#include "export/otlp/otlp_processes.h"
#include "support/otlp_read.h"
#include "support/test.h"

#define DAY    UINT64_C(1700000000000000000)
#define SECOND UINT64_C(1000000000)
enum { COMMAND = 100, SHELL = 101, WORKER = 102, ORPHAN = 103 };

static struct read_spans got;
static uint8_t command[OTLP_SPAN_ID] = {0xc0, 1, 2, 3, 4, 5, 6, 7};

static int take(void *ctx, const struct otlp_message *m, struct error *err)
{
    struct otlp_bytes all = {0};
    (void)ctx, (void)err;
    for (size_t i = 0; i < 3; i++)
        otlp_put(&all, m->part[i], m->size[i]);
    otlp_read(&got, all.data, all.n);
    otlp_bytes_free(&all);
    return 0;
}

struct run {
    struct otlp_context context;
    struct otlp_attrs resource;
    struct otlp_batch batch;
    struct otlp_processes *of;
};

static void begin(struct run *r, const uint8_t *below)
{
    *r = (struct run){.batch = {.format = &otlp_protobuf, .take = take}};
    r->batch.resource = &r->resource;
    otlp_context_of(&r->context, 1);
    memset(r->context.parent, 0, sizeof r->context.parent);
    r->of = otlp_processes_new(&r->context, &r->batch, below);
}

static void finish(struct run *r)
{
    struct error err = ERROR_INIT;
    otlp_processes_end(r->of);
    assert_int_equal(otlp_batch_end(&r->batch, &err), 0);
    otlp_processes_free(r->of);
}

static void see(struct run *r, int32_t pid, int32_t parent, uint64_t start, bool ended,
                const char *name)
{
    otlp_processes_see(r->of, &(struct otlp_process){.pid = pid,
                                                     .parent_pid = parent,
                                                     .start = start,
                                                     .begin_ns = DAY + start,
                                                     .ended = ended,
                                                     .name = name,
                                                     .command_line = name});
}

/* Each is below the one that started it, also where that is seen after it in the same sample, and
 * stays there when it is adopted. */
TEST(test_parents)
{
    struct run r;
    begin(&r, command);
    otlp_processes_command(r.of, COMMAND, DAY + 5);
    otlp_processes_begin(r.of, DAY + SECOND);
    see(&r, WORKER, SHELL, 20, false, "worker");
    see(&r, SHELL, COMMAND, 3, false, "sh"); /* a clock tick before the command began */
    see(&r, COMMAND, 1, 1, false, "command");
    see(&r, ORPHAN, 1, 40, false, "orphan");
    otlp_processes_done(r.of);
    otlp_processes_begin(r.of, DAY + 2 * SECOND);
    see(&r, WORKER, 1, 20, false, "renamed");
    otlp_processes_done(r.of);
    otlp_processes_begin(r.of, DAY + 3 * SECOND);
    otlp_processes_done(r.of);
    finish(&r);
    assert_int_equal(got.n, 3);
    const struct read_span *sh = otlp_named(&got, "sh"), *worker = otlp_named(&got, "renamed"),
                           *orphan = otlp_named(&got, "orphan");
    assert_string_equal(worker->parent, sh->id);
    assert_string_equal(sh->parent, "c001020304050607");
    assert_string_equal(orphan->parent, sh->parent);
    assert_true(sh->begin == DAY + 5 && sh->end == DAY + SECOND);
    assert_true(worker->begin == DAY + 20 && worker->end == DAY + 2 * SECOND);
    otlp_has(worker->attrs, "process.parent_pid=101");
    otlp_has(worker->attrs, "rooftop.process.seen_by=sampling");
    otlp_has(worker->attrs, "rooftop.process.end_within_ns=1000000000");
    assert_null(strstr(worker->attrs, "running"));
    otlp_read_free(&got);
}

/* A zombie has ended and is told once, however long nobody waits for it; another process with its
 * pid is another span. What still runs says so. */
TEST(test_ends)
{
    struct run r;
    uint8_t id[OTLP_SPAN_ID];
    begin(&r, NULL);
    for (uint64_t i = 1; i <= 30; i++) {
        otlp_processes_begin(r.of, DAY + i * SECOND);
        see(&r, SHELL, 1, 7, i > 1, "zombie");
        if (i >= 20)
            see(&r, WORKER, SHELL, 9, false, "worker");
        otlp_processes_done(r.of);
    }
    otlp_processes_begin(r.of, DAY + 31 * SECOND);
    see(&r, SHELL, 1, 31 * SECOND, false, "again");
    otlp_processes_done(r.of);
    assert_true(otlp_processes_span(r.of, SHELL, DAY + 40 * SECOND, id));
    assert_false(otlp_processes_span(r.of, ORPHAN, DAY, id));
    finish(&r);
    assert_int_equal(got.n, 3);
    const struct read_span *zombie = otlp_named(&got, "zombie"), *again = otlp_named(&got, "again");
    assert_true(zombie->begin == DAY + 7 && zombie->end == DAY + SECOND);
    assert_string_equal(zombie->parent, "");
    assert_string_not_equal(zombie->id, again->id);
    assert_true(again->begin == DAY + 31 * SECOND && again->end == DAY + 40 * SECOND);
    otlp_has(again->attrs, "rooftop.process.running=1");
    /* a zombie has no children: this one's parent is not known */
    assert_string_equal(otlp_named(&got, "worker")->parent, "");
    otlp_read_free(&got);
}
