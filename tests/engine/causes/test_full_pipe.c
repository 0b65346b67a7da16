/*
 * A write that waits for room in a pipe is caused by the read that made it. A new pipe has room for
 * 65536 bytes (pipe(7)).
 */
#include <fcntl.h>
#include <string.h>

#include "engine/causes/causes.h"
#include "engine/syscalls/calls.h"
#include "support/test.h"

enum { MAKER = 100, WRITER = 101, READER = 102, SECOND = 103, AT = 0x200, HOLDS = 65536 };

static struct cause room;
static int rooms;

static void on_cause(void *ctx, const struct cause *cause)
{
    (void)ctx;
    if (cause->kind != CAUSE_ROOM)
        return;
    room = *cause;
    rooms++;
}

static struct syscall_event event_of(int32_t pid, const char *name, uint64_t a, uint64_t b,
                                     uint64_t n)
{
    const int number = syscall_number(SYSCALL_X86_64, name);
    assert_true(number >= 0);
    return (struct syscall_event){
        .pid = pid, .tid = pid, .number = (uint32_t)number, .args = {a, b, n}, .begin_ns = 7};
}

static struct cause_stamp enters(struct causes *c, struct syscall_event e)
{
    e.kind = SYSCALL_ENTRY;
    return causes_add(c, &e);
}

static struct cause_stamp returns(struct causes *c, struct syscall_event e, int64_t result)
{
    e.kind = SYSCALL_CALL;
    e.result = result;
    return causes_add(c, &e);
}

static void start(struct causes *c, int32_t pid, int32_t parent)
{
    const struct syscall_event e = {
        .kind = SYSCALL_START, .pid = pid, .tid = pid, .parent = parent};
    causes_add(c, &e);
}

static struct causes *a_pipe(uint64_t flags)
{
    static const int32_t ends[2] = {3, 4};
    const struct syscall_piece piece = {.address = AT, .size = sizeof ends, .at_return = 1};
    struct causes *c = causes_new(on_cause, NULL);
    struct syscall_event e = event_of(MAKER, "pipe2", AT, flags, 0);
    rooms = 0;
    start(c, MAKER, 0);
    enters(c, e);
    e.pieces = &piece;
    e.npieces = 1;
    e.bytes = (const uint8_t *)ends;
    e.nbytes = sizeof ends;
    returns(c, e, 0);
    start(c, WRITER, MAKER);
    start(c, READER, MAKER);
    start(c, SECOND, MAKER);
    return c;
}

/* A write of `bytes` waits while `pid` reads so much, `taken` bytes at a time. Returns which of the
 * reads is its cause, from 1 on; 0: none. late: the last read returns after the write. */
static int cause_of(struct causes *c, uint64_t bytes, uint64_t taken, int reads, bool late)
{
    const struct syscall_event write = event_of(WRITER, "write", 4, 0, bytes);
    const struct syscall_event read = event_of(READER, "read", 3, 0, taken);
    struct cause_stamp each[8];
    const struct cause_stamp waits = enters(c, write);
    for (int i = 0; i < reads; i++) {
        each[i] = enters(c, read);
        if (!late || i + 1 < reads)
            returns(c, read, (int64_t)taken);
    }
    const struct cause_stamp went_on = returns(c, write, (int64_t)bytes);
    if (late)
        returns(c, read, (int64_t)taken);
    assert_in_range(rooms, 0, 1);
    for (int i = 0; rooms && i < reads; i++)
        if (room.from == each[i].id) {
            assert_int_equal(room.to, waits.id);
            assert_true(each[i].entry < went_on.clock);
            return i + 1;
        }
    assert_int_equal(rooms, 0);
    return 0;
}

TEST(the_read_that_made_room_is_the_cause)
{
    static const struct {
        uint64_t bytes, taken;
        int reads;
        bool late;
        int cause;
    } cases[] = {
        {HOLDS, 4096, 3, false, 0},     /* it fitted in */
        {HOLDS + 1, 4096, 3, false, 1}, /* one byte had to go */
        {HOLDS + 4096, 4096, 3, false, 1},
        {HOLDS + 4097, 4096, 3, false, 2},
        {HOLDS + 3 * 4096, 4096, 3, false, 3},
        {HOLDS + 1, HOLDS, 1, true, 1},
        {HOLDS + 4097, 4096, 2, true, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct causes *c = a_pipe(0);
        const int cause =
            cause_of(c, cases[i].bytes, cases[i].taken, cases[i].reads, cases[i].late);
        if (cause != cases[i].cause)
            fail_msg("case %zu: read %d", i, cause);
        causes_free(c);
    }
}

/* A pipe of packets; one that was made larger; one that another program may have taken from. */
TEST(what_is_not_certain_has_no_cause)
{
    struct causes *c = a_pipe(O_DIRECT);
    assert_int_equal(cause_of(c, HOLDS + 1, 4096, 1, false), 0);
    causes_free(c);
    c = a_pipe(0);
    const struct syscall_event size = event_of(WRITER, "fcntl", 4, F_SETPIPE_SZ, 2 * HOLDS);
    enters(c, size);
    returns(c, size, 2 * HOLDS);
    assert_int_equal(cause_of(c, HOLDS + 1, 4096, 1, false), 0);
    causes_free(c);
    c = a_pipe(0);
    enters(c, event_of(SECOND, "read", 3, 0, 4096)); /* has not returned */
    assert_int_equal(cause_of(c, HOLDS + 1, 4096, 1, true), 0);
    causes_free(c);
}
