/* Each call of each ABI has the duty of its name in roles.def, found by plain search. */
#include <string.h>

#include "engine/syscalls/calls.h"
#include "engine/syscalls/roles.h"
#include "support/test.h"

static const struct {
    const char *call;
    uint8_t role;
} duties[] = {
#define DUTY(call, role, fd, path, size, other) {#call, ROLE_##role},
#include "engine/syscalls/roles.def"
#undef DUTY
};

static uint8_t role_of(const char *name)
{
    for (size_t i = 0; i < sizeof duties / sizeof *duties; i++)
        if (strcmp(duties[i].call, name) == 0)
            return duties[i].role;
    return ROLE_NONE;
}

TEST(every_call_has_the_duty_of_its_name)
{
    unsigned found = 0;
    for (unsigned abi = 0; abi < SYSCALL_ABIS; abi++)
        for (uint32_t number = 0; number < syscall_numbers(abi) + 3; number++) {
            const uint8_t role = syscall_duty(abi, number)->role;
            if (syscall_is_named(abi, number)) {
                assert_int_equal(role, role_of(syscall_name(abi, number)));
                found += role != ROLE_NONE;
            } else {
                assert_int_equal(role, ROLE_NONE);
            }
        }
    assert_true(found > 3 * sizeof duties / sizeof *duties);
    assert_int_equal(syscall_duty(SYSCALL_ABIS, 0)->role, ROLE_NONE);
}

/* Each row is a call of some ABI; names of calls that work are no parts of them. */
TEST(calls_that_wait_are_known_by_their_names)
{
    static const char *const waits[] = {
#define WAITS(call) #call,
#include "engine/syscalls/waits.def"
#undef WAITS
    };
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        bool known = false;
        for (unsigned abi = 0; abi < SYSCALL_ABIS && !known; abi++)
            known = syscall_number(abi, waits[i]) >= 0;
        if (!known || !syscall_waits(waits[i]))
            fail_msg("%s", waits[i]);
    }
    assert_true(syscall_waits("wait4 [i386]"));
    static const char *const works[] = {"",      "read",       "write",       "poll_",
                                        "wait",  "futex_wake", "sched_yield", "vfork",
                                        "fsync", "openat",     "selects",     "sendmsg [x32]"};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        assert_false(syscall_waits(works[i]));
}
