/* Reserves addresses, restores a capture's contents, and compares with its memory after the
 * kernel, as a replay does, but without a GPU. */
#include "backends/replay/device/device.h"
#include "backends/replay/replay_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "support/made_capture.h"
#include "support/test.h"

static struct made_capture made;
static struct capture *c;
static struct replay_plan plan;
static struct replay_hold hold;
static struct replay_workers *workers;
static struct replay_failure f;
static struct error err;

FIXTURE(start)
{
    made_capture_make(&made);
    assert_int_equal(capture_open(&c, made.dir, &err), 0);
    /* memory of this process will do */
    for (size_t i = 0; i < c->nregions; i++)
        c->regions[i].segment = CAPTURE_HOST;
    assert_int_equal(replay_plan_make(&plan, c, &err), 0);
    f = (struct replay_failure){0};
    workers = replay_workers_start(3);
}

FIXTURE(finish)
{
    replay_hold_free(&hold);
    replay_plan_free(&plan);
    replay_workers_stop(workers);
    capture_free(c);
    made_capture_remove(&made);
}

static uint8_t *memory(uint64_t address)
{
    return (uint8_t *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

static void as_captured(uint64_t base, bool after)
{
    static uint8_t wanted[MADE_MAX];
    const struct capture_region *r = capture_region_at(c, base);
    assert_non_null(r);
    made_capture_bytes(base, after, wanted, r->size);
    assert_memory_equal(memory(base), wanted, r->size);
}

TEST_WITH(test_contents_are_restored_again_and_again, start, finish)
{
    struct replay_restore *r = NULL;
    assert_int_equal(replay_hold(&hold, &plan, NULL, &f), 0);
    assert_int_equal(replay_restore_open(&r, c, workers, true, &f), 0);
    for (int i = 0; i < 3; i++) {
        memset(memory(MADE_DEVICE), 0x55, 100);
        memset(memory(MADE_SPARSE), 0x55, MADE_MAX);
        memory(MADE_ZSTD)[(4u << 20) + 5] ^= 1;
        assert_int_equal(replay_restore_run(r, NULL, NULL, &f), 0);
        as_captured(MADE_DEVICE, false);
        as_captured(MADE_ZSTD, false);
        as_captured(MADE_SPARSE, false);
        as_captured(MADE_HOST, false);
        as_captured(MADE_KERNARG, false);
        assert_int_equal(memory(MADE_LOST)[0], 0);
    }
    assert_true(replay_restore_read_seconds(r) > 0);
    assert_true(replay_restore_memcpy_speed(r) == 0);
    replay_restore_memcpy(r);
    assert_true(replay_restore_memcpy_speed(r) > 0);
    replay_restore_close(r);
}

TEST_WITH(test_a_file_that_changed_since_is_noticed, start, finish)
{
    struct replay_restore *r = NULL;
    char file[64];
    uint8_t other[65536];
    assert_int_equal(replay_hold(&hold, &plan, NULL, &f), 0);
    made_capture_bytes(MADE_DEVICE, false, other, sizeof other);
    other[700] ^= 4;
    snprintf(file, sizeof file, "memory/region_%llx.bin", (unsigned long long)MADE_DEVICE);
    made_capture_write(&made, file, other, sizeof other);
    assert_int_equal(replay_restore_open(&r, c, workers, false, &f), 0);
    assert_int_equal(replay_restore_run(r, NULL, NULL, &f), -1);
    assert_int_equal(f.kind, REPLAY_CAPTURE);
    replay_restore_close(r);
}

static void verify(struct replay_verdict *v, const struct replay_rule *rule)
{
    const struct replay_rule exact = replay_rule_exact();
    assert_int_equal(replay_verify(v, c, workers, rule ? rule : &exact, NULL, NULL, &f), 0);
}

TEST_WITH(test_memory_is_compared_with_after, start, finish)
{
    struct replay_restore *r = NULL;
    struct replay_verdict v;
    assert_int_equal(replay_hold(&hold, &plan, NULL, &f), 0);
    assert_int_equal(replay_restore_open(&r, c, workers, false, &f), 0);
    assert_int_equal(replay_restore_run(r, NULL, NULL, &f), 0);
    verify(&v, NULL); /* as before the kernel: half of a region differs */
    assert_false(v.equal);
    assert_int_equal(v.n, 1);
    assert_int_equal(v.differences[0].region, MADE_DEVICE);
    assert_int_equal(v.differences[0].offset, 32768);
    assert_int_equal(v.differences[0].expected, 0xee);
    assert_int_equal(v.differences[0].found, *memory(MADE_DEVICE + 32768));
    replay_verdict_free(&v);
    memset(memory(MADE_DEVICE + 32768), 0xee, 32768); /* what the kernel would do */
    verify(&v, NULL);
    assert_true(v.equal);
    assert_true(v.regions > 0 && v.skipped > 0); /* one could not be read */
    assert_int_equal(v.regions + v.skipped, c->nregions);
    replay_verdict_free(&v);
    memory(MADE_DEVICE)[65535] = 0xed;
    verify(&v, NULL);
    assert_int_equal(v.differences[0].count, 1);
    assert_int_equal(v.differences[0].offset, 65535);
    replay_verdict_free(&v);
    replay_restore_close(r);
}

TEST_WITH(test_a_tolerance_lets_pass_what_it_says, start, finish)
{
    struct replay_restore *r = NULL;
    struct replay_verdict v;
    struct replay_rule rule;
    assert_int_equal(replay_hold(&hold, &plan, NULL, &f), 0);
    assert_int_equal(replay_restore_open(&r, c, workers, false, &f), 0);
    assert_int_equal(replay_restore_run(r, NULL, NULL, &f), 0);
    memset(memory(MADE_DEVICE + 32768), 0xee, 32768);
    memory(MADE_DEVICE)[65532] = 0xec; /* 0xeeeeeeec in place of 0xeeeeeeee */
    assert_int_equal(replay_rule_parse("u32,abs=1", &rule, &err), 0);
    verify(&v, &rule);
    assert_false(v.equal);
    assert_int_equal(v.differences[0].expected, 0xeeeeeeee);
    assert_int_equal(v.differences[0].found, 0xeeeeeeec);
    replay_verdict_free(&v);
    assert_int_equal(replay_rule_parse("u32,abs=2", &rule, &err), 0);
    verify(&v, &rule);
    assert_true(v.equal);
    replay_verdict_free(&v);
    replay_restore_close(r);
}

TEST_WITH(test_outputs_are_compared_with_each_other, start, finish)
{
    struct replay_restore *r = NULL;
    struct replay_verdict v;
    const struct replay_rule exact = replay_rule_exact();
    assert_int_equal(replay_hold(&hold, &plan, NULL, &f), 0);
    assert_int_equal(replay_restore_open(&r, c, workers, false, &f), 0);
    assert_int_equal(replay_restore_run(r, NULL, NULL, &f), 0);
    struct replay_output *o = replay_output_keep(c, workers);
    assert_non_null(o);
    assert_int_equal(replay_output_compare(&v, o, &exact, &f), 0);
    assert_true(v.equal);
    replay_verdict_free(&v);
    memory(MADE_SPARSE)[MADE_MAX - 1] = 1;
    memory(MADE_HOST)[0] ^= 1;
    assert_int_equal(replay_output_compare(&v, o, &exact, &f), 0);
    assert_int_equal(v.n, 2);
    assert_int_equal(v.differences[0].offset, MADE_MAX - 1);
    assert_int_equal(v.differences[1].region, MADE_HOST);
    replay_verdict_free(&v);
    replay_output_free(o);
    replay_restore_close(r);
}

TEST_WITH(test_a_taken_address_is_told, start, finish)
{
    void *mine = mmap(memory(MADE_HOST), 4096, PROT_READ,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    assert_ptr_equal(mine, memory(MADE_HOST));
    assert_int_equal(replay_hold(&hold, &plan, NULL, &f), -1);
    assert_int_equal(f.kind, REPLAY_RELOCATED);
    assert_true(f.again);
    assert_non_null(strstr(f.err.why, "taken by memory of rooftop's own at 0x7f0002000000"));
    char(*why)[REPLAY_WHY_BYTES] = calloc(plan.n, sizeof *why);
    assert_int_equal(replay_hold(&hold, &plan, why, &f), 0);
    size_t i = 0;
    while (plan.ranges[i].base != MADE_HOST)
        i++;
    assert_false(hold.held[i]);
    assert_non_null(strstr(why[i], "taken by"));
    assert_true(hold.held[0]);
    replay_hold_free(&hold);
    /* the addresses are free again */
    void *again = mmap(memory(MADE_DEVICE), 4096, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    assert_ptr_equal(again, memory(MADE_DEVICE));
    munmap(again, 4096);
    munmap(mine, 4096);
    free(why);
}
