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
