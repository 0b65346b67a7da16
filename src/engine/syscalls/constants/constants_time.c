/* Clocks and timers. Source: the headers included. */
#include <sys/time.h>
#include <time.h>

#include <linux/futex.h>

#include "engine/syscalls/constants/constants.h"

static const struct constant clockids[] = {
    C(CLOCK_REALTIME),          C(CLOCK_MONOTONIC),      C(CLOCK_PROCESS_CPUTIME_ID),
    C(CLOCK_THREAD_CPUTIME_ID), C(CLOCK_MONOTONIC_RAW),  C(CLOCK_REALTIME_COARSE),
    C(CLOCK_MONOTONIC_COARSE),  C(CLOCK_BOOTTIME),       C(CLOCK_REALTIME_ALARM),
    C(CLOCK_BOOTTIME_ALARM),    {10, "CLOCK_SGI_CYCLE"}, C(CLOCK_TAI)};
CONSTANTS(clockids, "CLOCK_???");
static const struct constant itimer_which[] = {C(ITIMER_REAL), C(ITIMER_VIRTUAL), C(ITIMER_PROF)};
CONSTANTS(itimer_which, "ITIMER_???");
static const struct constant timer_flags[] = {C(TIMER_ABSTIME)};
CONSTANTS(timer_flags, "TIMER_???");

static const struct constant futex_ops[] = {
    C(FUTEX_WAIT),           C(FUTEX_WAKE),        C(FUTEX_FD),          C(FUTEX_REQUEUE),
    C(FUTEX_CMP_REQUEUE),    C(FUTEX_WAKE_OP),     C(FUTEX_LOCK_PI),     C(FUTEX_UNLOCK_PI),
    C(FUTEX_TRYLOCK_PI),     C(FUTEX_WAIT_BITSET), C(FUTEX_WAKE_BITSET), C(FUTEX_WAIT_REQUEUE_PI),
    C(FUTEX_CMP_REQUEUE_PI), C(FUTEX_LOCK_PI2)};
CONSTANTS(futex_ops, "FUTEX_???");
static const struct constant futex_wake_ops[] = {C(FUTEX_OP_SET), C(FUTEX_OP_ADD), C(FUTEX_OP_OR),
                                                 C(FUTEX_OP_ANDN), C(FUTEX_OP_XOR)};
CONSTANTS(futex_wake_ops, "FUTEX_OP_???");
static const struct constant futex_wake_cmps[] = {C(FUTEX_OP_CMP_EQ), C(FUTEX_OP_CMP_NE),
                                                  C(FUTEX_OP_CMP_LT), C(FUTEX_OP_CMP_LE),
                                                  C(FUTEX_OP_CMP_GT), C(FUTEX_OP_CMP_GE)};
CONSTANTS(futex_wake_cmps, "FUTEX_OP_CMP_???");
/* linux/futex.h of Linux 6.18: the size in two bits, then the flags. */
static const struct constant futex2_flags[] = {
    {0, "FUTEX2_SIZE_U8"}, {3, "FUTEX2_SIZE_U64"}, {2, "FUTEX2_SIZE_U32"}, {1, "FUTEX2_SIZE_U16"},
    {4, "FUTEX2_NUMA"},    {8, "FUTEX2_MPOL"},     {128, "FUTEX2_PRIVATE"}};
CONSTANTS(futex2_flags, "FUTEX2_???");
static const struct constant futex_waiter_flags[] = {C(FUTEX_32), C(FUTEX_PRIVATE_FLAG)};
CONSTANTS(futex_waiter_flags, "FUTEX_???");
