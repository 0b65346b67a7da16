/*
 * Strings of an execve that were in no page when it was entered: the program that it executed has
 * them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/bpf/bpf_impl.h"
#include "engine/syscalls/decode/decode.h"
#include "support/test.h"

enum { TID = 7, EXECVE = 59, LIST = 0x7000, PATH = 0x1000, FIRST = 0x2000, SECOND = 0x3000 };

static char text[512];

static void write_it(void *ctx, const struct syscall_event *e)
{
    (void)ctx;
    if (e->kind != SYSCALL_CALL)
        return;
    FILE *f = fmemopen(text, sizeof text, "w");
    syscall_write(f, e, NULL);
    fclose(f);
}

/* The array is readable, and with ctx the first argument too. */
static long read_some(void *ctx, uint64_t address, void *out, size_t n)
{
    const uint64_t list[] = {FIRST, SECOND, 0};
    const char *from = NULL;
    size_t size = 0;
    if (address >= LIST && address < LIST + sizeof list) {
        from = (const char *)list + (address - LIST);
        size = sizeof list - (address - LIST);
    } else if (ctx && address == FIRST) {
        from = ctx;
        size = strlen(from) + 1;
    }
    if (!from)
        return -EFAULT;
    size = size < n ? size : n;
    memcpy(out, from, size);
    return (long)size;
}

static void expect(char *first, const char *interpreter, const char *arguments, size_t n,
                   const char *expected)
{
    const struct syscall_sink sink = {.event = write_it};
    const struct tracer_setup setup = {.follow = true, .string_limit = 5};
    const struct raw_start start = {.pid = TID, .tid = TID, .ns = 1, .name = "t"};
    struct tracer_result result = {0};
    struct syscall_event call = {.pid = TID,
                                 .tid = TID,
                                 .abi = SYSCALL_X86_64,
                                 .number = EXECVE,
                                 .begin_ns = 5,
                                 .args = {PATH, LIST, 0}};
    const struct syscall_memory m = {read_some, first};
    struct raw_calls r;
    raw_calls_open(&r, &setup, &sink, &result);
    raw_calls_started(&r, &start);
    raw_calls_entered(&r, &call, &m);
    raw_calls_exec_memory(&r, TID, interpreter, arguments, n);
    raw_calls_executed(&r, TID, TID, 6, "x", 2);
    call.end_ns = 7;
    raw_calls_left(&r, &call, NULL);
    assert_string_equal(text, expected);
    raw_calls_close(&r);
}

TEST(test_strings_of_the_new_program)
{
    static char loud[] = "ECHO", me[] = "me";
    static const char plain[] = "echo\0a long one", script[] = "/bin/sh\0-e\0./script\0one",
                      cut[] = "echo";
    expect(NULL, "/bin/echo", plain, sizeof plain,
           "execve(\"/bin/echo\", [\"echo\", \"a lon\"...], NULL) = 0");
    /* what was read at the entry stays */
    expect(loud, "/bin/echo", plain, sizeof plain,
           "execve(\"/bin/echo\", [\"ECHO\", \"a lon\"...], NULL) = 0");
    /* a script's own first argument is lost */
    expect(NULL, "/bin/sh", script, sizeof script,
           "execve(\"./script\", [0x2000, \"one\"], NULL) = 0");
    expect(me, "/bin/sh", script, sizeof script,
           "execve(\"./script\", [\"me\", \"one\"], NULL) = 0");
    /* not all of them are known */
    expect(NULL, "/bin/echo", cut, sizeof cut, "execve(0x1000, [0x2000, 0x3000], NULL) = 0");
    expect(NULL, "/bin/echo", "", 0, "execve(0x1000, [0x2000, 0x3000], NULL) = 0");
}
