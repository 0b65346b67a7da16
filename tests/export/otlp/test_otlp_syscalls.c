/* Events of a tracer become spans of processes and calls: parents, times, ends, and bounds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/otlp/otlp_syscalls.h"
#include "support/otlp_read.h"
#include "support/test.h"

struct run {
    struct otlp_context context;
    struct otlp_attrs resource;
    struct otlp_batch batch;
    struct otlp_syscalls *o;
    struct read_spans read;
    struct otlp_bytes bytes;
    uint64_t count;
    bool counts; /* only */
    uint8_t command[OTLP_SPAN_ID];
};

static int take(void *ctx, const struct otlp_message *m, struct error *err)
{
    struct run *r = ctx;
    (void)err;
    r->count += m->spans;
    r->bytes.n = 0;
    for (size_t i = 0; i < 3; i++)
        otlp_put(&r->bytes, m->part[i], m->size[i]);
    if (!r->counts)
        otlp_read(&r->read, r->bytes.data, r->bytes.n);
    return 0;
}

static void begin(struct run *r, bool command, bool calls)
{
    *r = (struct run){.count = 0};
    otlp_context_new(&r->context);
    otlp_context_id(&r->context, OTLP_COMMAND, r->command);
    r->batch = (struct otlp_batch){
        .format = &otlp_protobuf, .resource = &r->resource, .take = take, .ctx = r};
    r->o = otlp_syscalls_new(&r->context, &r->batch, command ? r->command : NULL, calls);
}

static void finish(struct run *r, int status)
{
    struct error err = ERROR_INIT;
    otlp_syscalls_end(r->o, status);
    otlp_syscalls_free(r->o);
    assert_int_equal(otlp_batch_end(&r->batch, &err), 0);
    otlp_bytes_free(&r->bytes);
}

static void say(struct run *r, struct syscall_event e)
{
    otlp_syscalls_event(r->o, &e);
}

static void process(struct run *r, int pid, int parent, uint64_t ns)
{
    say(r, (struct syscall_event){.kind = SYSCALL_START,
                                  .pid = pid,
                                  .tid = pid,
                                  .parent = parent,
                                  .begin_ns = ns,
                                  .end_ns = ns});
}

static void runs(struct run *r, int pid, uint64_t ns, const char *bytes, size_t n)
{
    say(r, (struct syscall_event){.kind = SYSCALL_EXEC,
                                  .pid = pid,
                                  .tid = pid,
                                  .begin_ns = ns,
                                  .end_ns = ns,
                                  .bytes = (const uint8_t *)bytes,
                                  .nbytes = (uint32_t)n});
}

static void ends(struct run *r, int pid, int64_t status, uint64_t ns)
{
    say(r, (struct syscall_event){.kind = SYSCALL_EXIT,
                                  .pid = pid,
                                  .tid = pid,
                                  .begin_ns = ns,
                                  .end_ns = ns,
                                  .result = status});
}

static void call(struct run *r, int pid, int tid, int64_t result, uint64_t from, uint64_t to)
{
    say(r, (struct syscall_event){.kind = SYSCALL_CALL,
                                  .pid = pid,
                                  .tid = tid,
                                  .number = 3, /* close */
                                  .args = {7},
                                  .result = result,
                                  .begin_ns = from,
                                  .end_ns = to});
}

TEST(test_processes)
{
    static const char first[] = "/bin/sh\0sh\0-c\0x y", second[] = "/usr/bin/sort\0sort";
    struct run r;
    begin(&r, true, false);
    process(&r, 10, 0, 100);
    runs(&r, 10, 110, first, sizeof first);
    say(&r, (struct syscall_event){
                .kind = SYSCALL_START, .pid = 10, .tid = 11, .parent = 10, .end_ns = 115});
    process(&r, 20, 11, 120); /* made by the second thread */
    runs(&r, 20, 130, second, sizeof second);
    call(&r, 20, 20, 0, 140, 150);
    call(&r, 20, 20, -9, 150, 155);
    say(&r, (struct syscall_event){.kind = SYSCALL_CALL,
                                   .abi = SYSCALL_URING,
                                   .pid = 20,
                                   .tid = 20,
                                   .number = 22,
                                   .begin_ns = 141, /* it goes on beside the calls */
                                   .end_ns = 158});
    ends(&r, 20, 3 << 8, 160);
    process(&r, 20, 10, 170); /* the number is used again */
    ends(&r, 20, 9, 180);
    ends(&r, 10, 0, 190);
    finish(&r, 0);
    assert_int_equal(r.read.n, 3);
    const struct read_span *sh = otlp_named(&r.read, "sh"), *sort = otlp_named(&r.read, "sort");
    const struct read_span *again = otlp_named(&r.read, "process");
    char id[17];
    for (size_t i = 0; i < OTLP_SPAN_ID; i++)
        snprintf(id + 2 * i, 3, "%02x", r.command[i]);
    assert_string_equal(sh->id, id);
    assert_string_equal(sh->parent, "");
    assert_string_equal(sort->parent, sh->id);
    assert_string_equal(again->parent, sh->id);
    assert_string_not_equal(again->id, sort->id);
    assert_int_equal(sh->end - sh->begin, 90);
    assert_int_equal(sort->end - sort->begin, 40);
    assert_int_equal(sort->begin - sh->begin, 20);
    otlp_has(sh->attrs, "process.command_args=[sh|-c|x y]");
    otlp_has(sh->attrs, "rooftop.process.threads_started=1");
    otlp_has(sh->attrs, "process.exit.code=0");
    otlp_has(sort->attrs, "process.executable.path=/usr/bin/sort");
    otlp_has(sort->attrs, "process.parent_pid=10");
    otlp_has(sort->attrs, "process.exit.code=3");
    otlp_has(sort->attrs, "rooftop.syscalls.calls=2");
    otlp_has(sort->attrs, "rooftop.syscalls.errors=1");
    otlp_has(sort->attrs, "rooftop.syscalls.time_ns=15");
    assert_string_equal(sort->message, "exit status 3");
    assert_int_equal(sort->status, OTLP_ERROR);
    assert_int_equal(sh->status, OTLP_UNSET);
    assert_string_equal(sort->events, "exec\nprocess.executable.name=sort\n");
    otlp_has(again->attrs, "rooftop.process.signal=SIGKILL");
    otlp_read_free(&r.read);
}

TEST(test_calls)
{
    struct run r;
    begin(&r, true, true);
    process(&r, 10, 0, 100);
    call(&r, 10, 12, -9, 140, 150);
    finish(&r, 15);
    const struct read_span *p = otlp_named(&r.read, "process"), *c = otlp_named(&r.read, "close");
    assert_string_equal(c->parent, p->id);
    assert_int_equal(c->end - c->begin, 10);
    otlp_has(c->attrs, "syscall.arguments=7");
    otlp_has(c->attrs, "syscall.result=-9");
    otlp_has(c->attrs, "error.type=EBADF");
    otlp_has(c->attrs, "thread.id=12");
    assert_int_equal(c->status, OTLP_ERROR);
    assert_string_equal(p->message, "ended by SIGTERM"); /* it was still open */
    otlp_read_free(&r.read);
}

/* Its own child, two that are each other's, one nobody saw begin, no NUL at the end: every span
 * comes once, with a parent that began before it, or none. */
TEST(test_hostile)
{
    struct run r;
    begin(&r, false, true);
    process(&r, 5, 5, 100);
    process(&r, 6, 7, 100);
    process(&r, 7, 6, 100);
    runs(&r, 7, 105, "/b", 3);
    process(&r, 7, 7, 110); /* again, without an end: its span has what it did (otlp_read) */
    runs(&r, 8, 100, "\xff\xfe/\xc0\xaf", 5);
    runs(&r, 8, 101, "", 0);
    for (int i = 0; i < 100; i++)
        runs(&r, 8, 102 + (uint64_t)i, "/a\0b", 4);
    ends(&r, 99, 0, 5000); /* never began */
    say(&r, (struct syscall_event){.kind = SYSCALL_EXIT, .pid = 5, .tid = 55, .end_ns = 400});
    say(&r, (struct syscall_event){.kind = SYSCALL_LOST, .args = {7}, .end_ns = 400});
    finish(&r, -1);
    assert_int_equal(r.read.n, 5);
    for (size_t i = 0; i < r.read.n; i++)
        assert_string_not_equal(r.read.list[i].parent, r.read.list[i].id);
    const struct read_span *a = otlp_named(&r.read, "a");
    assert_int_equal(a->dropped_events, 93);
    otlp_read_free(&r.read);
}

/* Each of many short processes is a span. */
TEST(test_storm)
{
    enum { PROCESSES = 200000 };
    struct run r;
    begin(&r, false, false);
    r.counts = true;
    process(&r, 1, 0, 1);
    for (int i = 0; i < PROCESSES; i++) {
        const uint64_t ns = 10 + (uint64_t)i * 10;
        process(&r, 2 + i, 1, ns);
        runs(&r, 2 + i, ns + 1, "/bin/true\0true", 15);
        ends(&r, 2 + i, 0, ns + 5);
    }
    ends(&r, 1, 0, UINT64_C(1) << 40);
    finish(&r, 0);
    assert_int_equal(r.count, PROCESSES + 1);
}
