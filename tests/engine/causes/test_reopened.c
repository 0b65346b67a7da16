/*
 * A shell opens /dev/fd/63 for >(command): that is the pipe again, under another number. Only where
 * the trace does not know what a number stands for, others may have the pipe.
 */
#include <string.h>

#include "engine/causes/causes.h"
#include "engine/syscalls/calls.h"
#include "support/test.h"

enum { MAKER = 100, WRITER = 101, READER = 102, AT = 0x200, OTHER = 40 };

static size_t bytes;

static void on_cause(void *ctx, const struct cause *cause)
{
    (void)ctx;
    bytes += cause->kind == CAUSE_BYTES;
}

static uint32_t number_of(const char *name)
{
    const int number = syscall_number(SYSCALL_X86_64, name);
    assert_true(number >= 0);
    return (uint32_t)number;
}

/* A call, whole; text: memory at AT, of n bytes. */
static void call(struct causes *c, int32_t pid, const char *name, const uint64_t args[3],
                 const void *text, size_t n, int64_t result)
{
    const struct syscall_piece piece = {
        .address = AT, .size = (uint32_t)n, .at_return = strcmp(name, "pipe2") == 0};
    struct syscall_event e = {.kind = SYSCALL_ENTRY,
                              .pid = pid,
                              .tid = pid,
                              .number = number_of(name),
                              .args = {args[0], args[1], args[2]},
                              .begin_ns = 7,
                              .pieces = &piece,
                              .npieces = n > 0,
                              .bytes = text,
                              .nbytes = (uint32_t)n};
    causes_add(c, &e);
    e.kind = SYSCALL_CALL;
    e.result = result;
    causes_add(c, &e);
}

static void start(struct causes *c, int32_t pid, int32_t parent)
{
    const struct syscall_event e = {
        .kind = SYSCALL_START, .pid = pid, .tid = pid, .parent = parent};
    causes_add(c, &e);
}

static struct causes *a_pipe_between_two(void)
{
    const int32_t ends[2] = {3, 4};
    struct causes *c = causes_new(on_cause, NULL);
    bytes = 0;
    start(c, MAKER, 0);
    call(c, MAKER, "pipe2", (uint64_t[]){AT, 0, 0}, ends, sizeof ends, 0);
    start(c, WRITER, MAKER);
    start(c, READER, MAKER);
    return c;
}

TEST(a_pipe_is_opened_again)
{
    static const struct {
        const char *path, *lost_by;
    } cases[] = {
        {"/dev/fd/4", NULL},         {"/proc/self/fd/4", NULL},
        {"/proc/101/fd/4", NULL},    {"/proc/100/fd/4", NULL},
        {"/dev/fd/17", "openat"},    {"/proc/self/task/101/fd/4", "openat"},
        {"/proc/77/fd/4", "openat"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t ns;
        const char *path = cases[i].path;
        struct causes *c = a_pipe_between_two();
        call(c, WRITER, "openat", (uint64_t[]){0, AT, 1}, "/dev/stdin", 11, OTHER - 1);
        call(c, WRITER, "openat", (uint64_t[]){0, AT, 1}, path, strlen(path) + 1, OTHER);
        call(c, WRITER, "write", (uint64_t[]){OTHER, 0, 8}, NULL, 0, 8);
        call(c, READER, "read", (uint64_t[]){3, 0, 8}, NULL, 0, 8);
        const char *why = causes_lost_by(c, &ns);
        if (!why != !cases[i].lost_by || (why && (strcmp(why, cases[i].lost_by) != 0 || ns != 7)))
            fail_msg("%s: %s", path, why ? why : "not lost");
        assert_int_equal(bytes, !cases[i].lost_by);
        causes_free(c);
    }
}
