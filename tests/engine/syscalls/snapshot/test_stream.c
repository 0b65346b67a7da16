/* Events through the pipe: whole in any pieces, and refused where they make no sense. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/syscalls/calls.h"
#include "engine/syscalls/snapshot/syscalls_snapshot.h"
#include "engine/syscalls/snapshot/stream.h"
#include "support/syscall_scene.h"
#include "support/test.h"

static char *bytes;
static size_t nbytes;

static const struct syscall_frame frames[] = {
    {.function = "__write", .module = "/lib/libc.so.6", .file = "", .address = 0x100, .offset = 16},
    {.function = "save",
     .module = "/bin/prog",
     .file = "/src/save.c",
     .address = 0x200,
     .line = 41},
};
static const struct syscall_frame *const places[] = {&frames[0], &frames[1]};
static const struct syscall_stack stack = {.id = 5, .n = 2, .cut = true, .frames = places};

static void send_event(void *ctx, const struct syscall_event *e)
{
    struct syscall_event own = *e;
    if (strcmp(syscall_name(e->abi, e->number), "write") == 0) {
        syscalls_stream_stack(ctx, &stack);
        own.stack = &stack;
    }
    syscalls_stream_event(ctx, &own);
}

static void check_stack(const struct syscall_stack *s)
{
    char line[128];
    assert_non_null(s);
    assert_int_equal(s->n, 2);
    assert_true(s->cut);
    assert_int_equal(s->frames[0]->address, 0x100);
    syscall_frame_line(s->frames[0], line, sizeof line);
    assert_string_equal(line, "__write (libc.so.6)");
    syscall_frame_line(s->frames[1], line, sizeof line);
    assert_string_equal(line, "save (save.c:41)");
}

/* Everything that a tracer sends. */
FIXTURE(setup)
{
    FILE *f = open_memstream(&bytes, &nbytes);
    struct syscall_scene s = {.pid = 100,
                              .tid = 101,
                              .now_ns = 1000,
                              .call_ns = 10,
                              .sink = {.event = send_event, .ctx = f}};
    const struct syscalls_stream_end end = {
        .result = {.lost = 3, .notes = {"a note"}}, .err = ERROR_INIT, .stopped = true};
    syscalls_stream_begin(f, &(struct syscalls_stream_begin){.by = "ptrace"});
    syscalls_stream_ready(f);
    scene_path(&s, "openat", 3, 1, "/etc/hosts");
    scene_bytes(&s, "write", 5, 3, "hello");
    syscalls_stream_tick(f, &(struct syscalls_stream_tick){.cpu_ns = 77});
    scene_call(&s, "close", -9, 3, 0, 0, 0);
    syscalls_stream_end(f, &end);
    fclose(f);
}

FIXTURE(teardown)
{
    free(bytes);
}

static void check(const struct syscalls_stream_item *item, int i)
{
    static const char *const texts[] = {
        [2] = "openat(", [3] = "write(3, \"hello\"", [5] = "close(3) = -1 EBADF"};
    char text[512];
    switch (i) {
    case 0:
        assert_string_equal(item->begin.by, "ptrace");
        break;
    case 1:
        assert_int_equal(item->kind, SYSCALLS_RECORD_READY);
        break;
    case 4:
        assert_int_equal(item->tick.cpu_ns, 77);
        break;
    case 6:
        assert_int_equal(item->end.result.lost, 3);
        assert_string_equal(item->end.result.notes[0], "a note");
        assert_true(item->end.stopped);
        break;
    default:
        assert_int_equal(item->kind, SYSCALLS_RECORD_EVENT);
        assert_int_equal(item->event.tid, 101);
        syscalls_event_text(&item->event, text, sizeof text);
        if (!strstr(text, texts[i]))
            fail_msg("event %d is %s", i, text);
        if (i == 3)
            check_stack(item->event.stack);
        else
            assert_null(item->event.stack);
    }
}

TEST(records_come_whole_in_any_pieces)
{
    static const size_t steps[] = {1, 3, 7, 64, 1000, SIZE_MAX};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        struct syscalls_stream_reader r = {0};
        struct syscalls_stream_item item;
        int n = 0, rc = 0;
        for (size_t at = 0; at < nbytes;) {
            size_t step = nbytes - at < steps[k] ? nbytes - at : steps[k];
            syscalls_stream_put(&r, bytes + at, step);
            at += step;
            while ((rc = syscalls_stream_take(&r, &item)) > 0)
                check(&item, n++);
            assert_int_equal(rc, 0);
        }
        assert_int_equal(n, 7);
        syscalls_stream_free(&r);
    }
}

/* Any byte may be wrong: the reader goes on or refuses, and what it gives out can be shown. */
TEST(no_byte_can_do_harm)
{
    char *wrong = malloc(nbytes), text[512];
    int refused = 0;
    for (size_t at = 0; at < nbytes; at++)
        for (int v = 0; v < 3; v++) {
            struct syscalls_stream_reader r = {0};
            struct syscalls_stream_item item;
            int rc;
            memcpy(wrong, bytes, nbytes);
            wrong[at] = v == 0 ? (char)0xff : v == 1 ? (char)0x80 : (char)(wrong[at] ^ 1);
            syscalls_stream_put(&r, wrong, nbytes);
            while ((rc = syscalls_stream_take(&r, &item)) > 0)
                if (item.kind == SYSCALLS_RECORD_EVENT)
                    syscalls_event_text(&item.event, text, sizeof text);
            assert_true(rc == 0 || rc == -EBADMSG);
            refused += rc != 0;
            syscalls_stream_free(&r);
        }
    free(wrong);
    assert_true(refused > 0);
}

TEST_MAIN(setup, teardown)
