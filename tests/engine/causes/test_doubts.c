/* What must not disturb causes: control messages with impossible lengths, as only a hostile program
 * sends them, and operations of io_uring, which overlap the calls of their own thread. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "engine/causes/causes.h"
#include "engine/syscalls/calls.h"
#include "support/test.h"

enum { WRITER = 100, READER = 101, AT_MESSAGE = 0x4000, AT_CONTROL = 0x5000, HEAD = 56 };

/* Two processes, and a pipe between them with the descriptors 3 and 4. */
struct scene {
    struct causes *causes;
    size_t through_pipe; /* edges by bytes */
};

static void on_cause(void *ctx, const struct cause *cause)
{
    struct scene *s = ctx;
    s->through_pipe += cause->kind == CAUSE_BYTES;
}

static struct syscall_event call_of(uint8_t abi, int32_t tid, const char *name, uint64_t a,
                                    uint64_t b, uint64_t c)
{
    const int number = syscall_number(abi, name);
    assert_true(number >= 0);
    return (struct syscall_event){.kind = SYSCALL_ENTRY,
                                  .abi = abi,
                                  .number = (uint32_t)number,
                                  .pid = tid,
                                  .tid = tid,
                                  .args = {a, b, c}};
}

static struct cause_stamp enter(struct scene *s, struct syscall_event *e)
{
    e->kind = SYSCALL_ENTRY;
    return causes_add(s->causes, e);
}

static struct cause_stamp leave(struct scene *s, struct syscall_event *e, int64_t result)
{
    e->kind = SYSCALL_CALL;
    e->result = result;
    return causes_add(s->causes, e);
}

static void begin_scene(struct scene *s)
{
    const int32_t fds[2] = {3, 4};
    const struct syscall_piece piece = {.address = 0x100, .size = sizeof fds, .at_return = 1};
    const struct syscall_event first = {.kind = SYSCALL_START, .pid = WRITER, .tid = WRITER};
    const struct syscall_event second = {
        .kind = SYSCALL_START, .pid = READER, .tid = READER, .parent = WRITER};
    struct syscall_event pipe = call_of(SYSCALL_X86_64, WRITER, "pipe2", 0x100, 0, 0);
    struct syscall_event fork = call_of(SYSCALL_X86_64, WRITER, "fork", 0, 0, 0);
    *s = (struct scene){.causes = causes_new(on_cause, s)};
    causes_add(s->causes, &first);
    enter(s, &pipe);
    pipe.pieces = &piece;
    pipe.npieces = 1;
    pipe.bytes = (const uint8_t *)fds;
    pipe.nbytes = sizeof fds;
    leave(s, &pipe, 0);
    enter(s, &fork);
    causes_add(s->causes, &second);
    leave(s, &fork, READER);
}

/* Whether bytes that go through the pipe now have an edge. */
static bool has_edge(struct scene *s)
{
    const size_t before = s->through_pipe;
    struct syscall_event write = call_of(SYSCALL_X86_64, WRITER, "write", 4, 0, 8);
    struct syscall_event read = call_of(SYSCALL_X86_64, READER, "read", 3, 0, 8);
    enter(s, &write);
    leave(s, &write, 8);
    enter(s, &read);
    leave(s, &read, 8);
    return s->through_pipe > before;
}

/* --- control messages --- */

static void put(uint8_t *to, uint64_t v, size_t size)
{
    memcpy(to, &v, size);
}

/* What sendmsg(2) refuses passes no descriptor. The kernel takes no control data beyond INT_MAX,
 * and no message in it that is longer than the rest. */
TEST(test_impossible_lengths_are_refused)
{
    static const struct {
        uint64_t whole, one; /* length of the control data, and of the first message in it */
        bool edge;
    } cases[] = {
        {64, 64, true},
        {64, 65, true},
        {64, 11, true},
        {64, 0, true},
        {64, UINT64_MAX, true},
        {64, UINT64_MAX - 6, true},
        {15, 15, true},
        {UINT64_C(1) << 31, 24, true},
        {UINT64_MAX, UINT64_MAX - 6, true}, /* the sum with padding is 0 */
        {UINT64_MAX, UINT64_MAX - 14, true},
        {UINT64_MAX, UINT64_MAX - 40, true}, /* the sum is before the beginning */
        {UINT64_MAX, UINT64_MAX, true},
        {UINT64_MAX - 7, UINT64_MAX - 7, true},
        {INT32_MAX, 24, false}, /* who knows what comes after it */
        {INT32_MAX, INT32_MAX, true},
    };
    alarm(60); /* it once went round and round */
    for (unsigned wide = 0; wide < 2; wide++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const size_t size = wide ? 8 : 4, controls = HEAD;
            enum { CREDENTIALS = 2, SOCKET = 1, KEPT = 24 };
            if (!wide && (cases[i].whole > UINT32_MAX) != (cases[i].one > UINT32_MAX))
                continue;
            /* of its own size, so that a sanitizer sees what is read beyond it */
            uint8_t *bytes = xcalloc(HEAD + KEPT, 1);
            const struct syscall_piece pieces[] = {
                {.address = AT_MESSAGE, .size = HEAD},
                {.address = AT_CONTROL, .offset = HEAD, .size = KEPT}};
            put(bytes + 4 * size, AT_CONTROL, size);
            put(bytes + 5 * size, cases[i].whole, size);
            put(bytes + controls, cases[i].one, size);
            put(bytes + controls + size, SOCKET, 4);
            put(bytes + controls + size + 4, CREDENTIALS, 4);
            struct syscall_event send =
                call_of(wide ? SYSCALL_X86_64 : SYSCALL_I386, WRITER, "sendmsg", 20, AT_MESSAGE, 0);
            send.pieces = pieces;
            send.npieces = 2;
            send.bytes = bytes;
            send.nbytes = HEAD + KEPT;
            struct scene s;
            begin_scene(&s);
            assert_true(has_edge(&s));
            enter(&s, &send);
            leave(&s, &send, -22);
            if (has_edge(&s) != cases[i].edge)
                fail_msg("longs of %zu bytes, case %zu", size, i);
            causes_free(s.causes);
            free(bytes);
        }
    alarm(0);
}

/* --- io_uring --- */

TEST(test_operations_leave_open_calls_alone)
{
    struct scene s;
    begin_scene(&s);
    assert_true(has_edge(&s));
    struct syscall_event write = call_of(SYSCALL_X86_64, WRITER, "write", 4, 0, 8);
    struct syscall_event wait = call_of(SYSCALL_X86_64, WRITER, "io_uring_enter", 5, 1, 1);
    const struct syscall_event operation = {.kind = SYSCALL_CALL,
                                            .abi = SYSCALL_URING,
                                            .pid = WRITER,
                                            .tid = WRITER,
                                            .number = 22, /* read */
                                            .result = 8};
    struct syscall_event *const calls[] = {&write, &wait};
    uint64_t last = 0, at = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const struct cause_stamp begun = enter(&s, calls[i]);
        assert_true(begun.id > last && begun.entry > at);
        for (int k = 0; k < 3; k++) {
            const struct cause_stamp none = causes_add(s.causes, &operation);
            assert_true(none.id == 0 && none.entry == 0 && none.clock == 0);
        }
        const struct cause_stamp over = leave(&s, calls[i], 1);
        assert_int_equal(over.id, begun.id); /* the call that was entered, not one of its own */
        assert_int_equal(over.entry, begun.entry);
        assert_true(over.clock > begun.entry);
        last = over.id;
        at = over.clock;
    }
    /* What an operation read or wrote is not known: bytes are no evidence any more. */
    assert_false(has_edge(&s));
    causes_free(s.causes);
}
