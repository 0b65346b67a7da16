#include "backends/unwind/stack.h"
#include "support/test.h"

#include <linux/perf_event.h>
#include <stdlib.h>

static struct stack_entry entries[STACK_MAX];

static size_t stack_of(uint16_t mode, const uint64_t *chain, size_t n)
{
    struct record r = {.type = PERF_RECORD_SAMPLE,
                       .misc = mode,
                       .sample = {.ip = 0x99, .chain = chain, .nchain = n}};
    return stack_from_chain(&r, entries);
}

static void expect(size_t i, uint64_t address, enum names_space space, bool caller)
{
    assert_int_equal(entries[i].address, address);
    assert_int_equal(entries[i].space, space);
    assert_int_equal(entries[i].caller, caller);
}

TEST(marks_tell_kernel_from_user)
{
    const uint64_t chain[] = {PERF_CONTEXT_KERNEL, 0xffffffff81000010, 0xffffffff81000020,
                              PERF_CONTEXT_USER,   0x401000,           0x402000};
    assert_int_equal(stack_of(PERF_RECORD_MISC_KERNEL, chain, 6), 4);
    expect(0, 0xffffffff81000010, SPACE_KERNEL, false);
    expect(1, 0xffffffff81000020, SPACE_KERNEL, true);
    expect(2, 0x401000, SPACE_USER, false); /* the exact address at which it entered the kernel */
    expect(3, 0x402000, SPACE_USER, true);
}

TEST(without_a_chain_there_is_the_address)
{
    assert_int_equal(stack_of(PERF_RECORD_MISC_KERNEL, NULL, 0), 1);
    expect(0, 0x99, SPACE_KERNEL, false);
    assert_int_equal(stack_of(PERF_RECORD_MISC_USER, NULL, 0), 1);
    expect(0, 0x99, SPACE_USER, false);
    assert_int_equal(stack_of(PERF_RECORD_MISC_GUEST_USER, NULL, 0), 1);
    expect(0, 0x99, SPACE_GUEST, false);
    assert_int_equal(stack_of(PERF_RECORD_MISC_HYPERVISOR, NULL, 0), 1);
    expect(0, 0x99, SPACE_HYPERVISOR, false);
}

TEST(unknown_marks_and_zeros_are_passed_over)
{
    const uint64_t chain[] = {(uint64_t)-640, 0x10, 0, (uint64_t)-4000, 0x20};
    assert_int_equal(stack_of(PERF_RECORD_MISC_USER, chain, 5), 2);
    expect(0, 0x10, SPACE_USER, false);
    expect(1, 0x20, SPACE_USER, false);
}

TEST(long_chains_are_cut)
{
    enum { N = 8000 };
    uint64_t *chain = calloc(N, sizeof *chain);
    assert_non_null(chain);
    for (size_t i = 0; i < N; i++)
        chain[i] = i + 1;
    assert_int_equal(stack_of(PERF_RECORD_MISC_USER, chain, N), STACK_MAX);
    expect(STACK_MAX - 1, STACK_MAX, SPACE_USER, true);
    free(chain);
}
