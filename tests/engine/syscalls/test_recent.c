/* The last calls in bounded memory, against a list of all. */

#include "engine/syscalls/recent.h"
#include "support/test.h"

static struct syscall_event numbered(uint64_t i)
{
    return (struct syscall_event){.kind = SYSCALL_CALL,
                                  .abi = SYSCALL_ARM64,
                                  .way = SYSCALL_BY_BPF,
                                  .flags = SYSCALL_NO_ENTRY,
                                  .pid = 1,
                                  .tid = (int32_t)(2 + i % 3),
                                  .number = (uint32_t)(i % 400),
                                  .begin_ns = 10 * i,
                                  .end_ns = 10 * i + 5,
                                  .result = -(int64_t)i};
}

static void check(const struct syscall_recent *r, uint64_t all, uint64_t kept)
{
    assert_int_equal(syscall_recent_count(r), kept);
    assert_int_equal(syscall_recent_dropped(r), all - kept);
    for (uint64_t i = 0; i < kept; i++) {
        const struct syscall_event is = syscall_recent_at(r, i), was = numbered(all - kept + i);
        assert_memory_equal(&is, &was, sizeof is);
    }
}

TEST(the_last_calls_are_kept)
{
    enum { ROOM = 3000 };
    struct syscall_recent *r = syscall_recent_new(ROOM * SYSCALL_RECENT_BYTES + 1);
    assert_int_equal(syscall_recent_room(r), ROOM);
    for (uint64_t n = 0; n < 3 * ROOM + 7; n++) {
        const struct syscall_event e = numbered(n);
        syscall_recent_add(r, &e);
        if (n % 501 == 0 || n + 2 > ROOM)
            assert_int_equal(syscall_recent_count(r), n + 1 < ROOM ? n + 1 : ROOM);
        if (n % 1000 == 999)
            check(r, n + 1, n + 1 < ROOM ? n + 1 : ROOM);
    }
    check(r, 3 * ROOM + 7, ROOM);
    syscall_recent_free(r);
}

TEST(without_room_calls_are_counted)
{
    struct syscall_recent *r = syscall_recent_new(SYSCALL_RECENT_BYTES - 1);
    struct syscall_event e = numbered(1);
    syscall_recent_add(r, &e);
    check(r, 1, 0);
    e.kind = SYSCALL_SIGNAL;
    syscall_recent_add(r, &e);
    check(r, 1, 0);
    syscall_recent_free(r);
}
