/* The capture library's access to the runtime's tables of functions, in the layouts of several
 * ROCm releases. */
#include <string.h>

#include "capture/calls.h"
#include "support/test.h"

/* --- made-up tables: each entry holds its own index --- */

struct made {
    uint32_t root_head[4];
    void *parts[6];
    uint32_t core_head[4];
    uintptr_t core[140];
    uint32_t amd_head[4];
    uintptr_t amd[100];
};

static void make(struct made *m, uint32_t core_size, uint32_t amd_size)
{
    *m = (struct made){.root_head = {1, sizeof m->root_head + 4 * sizeof(void *)},
                       .parts = {m->core_head, m->amd_head},
                       .core_head = {1, core_size},
                       .amd_head = {1, amd_size}};
    for (size_t i = 0; i < 140; i++)
        m->core[i] = 1000 + i;
    for (size_t i = 0; i < 100; i++)
        m->amd[i] = 2000 + i;
}

static uintptr_t at(const struct made *m, enum call which)
{
    const call_any *entry = calls_entry(m, which);
    uintptr_t value = 0;
    if (entry)
        memcpy(&value, entry, sizeof value);
    return value;
}

/* Table sizes of ROCm 5.2.3, 5.5, 5.6, 6.0, 6.1, 6.2 and of August 2025, and which functions each
 * has. */
TEST(test_tables_of_all_releases)
{
    static const struct {
        uint32_t size;
        bool old, vmem, align;
    } releases[] = {{400, true, false, false},  {424, true, false, false},
                    {456, false, false, false}, {552, false, true, false},
                    {560, false, true, false},  {576, false, true, true},
                    {608, false, true, true}};
    struct made m;
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
        make(&m, 16 + 8 * 125, releases[i].size);
        assert_int_equal(at(&m, CALL_queue_create), 1007);
        assert_int_equal(at(&m, CALL_load_agent), 1120);
        assert_int_equal(at(&m, CALL_pool_allocate), 2013);
        assert_int_equal(at(&m, CALL_intercept_create), releases[i].old ? 2035 : 2037);
        assert_int_equal(at(&m, CALL_intercept_register), releases[i].old ? 2036 : 2038);
        assert_int_equal(at(&m, CALL_pointer_info), releases[i].old ? 2026 : 2028);
        assert_int_equal(at(&m, CALL_vmem_map), releases[i].vmem ? 2059 : 0);
        assert_int_equal(at(&m, CALL_vmem_reserve_align), releases[i].align ? 2069 : 0);
    }
}

/* Nothing is touched beyond the end of a table, also if its size lies between two layouts. */
TEST(test_short_tables)
{
    struct made m;
    char why[256];
    make(&m, 16 + 8 * 7, 400);
    assert_int_equal(at(&m, CALL_queue_create), 0);
    assert_int_equal(at(&m, CALL_agent_get_info), 1006);
    assert_false(calls_take(&m, why, sizeof why));
    assert_non_null(strstr(why, "lack queue_create"));
    make(&m, 16 + 8 * 125, 440);
    assert_int_equal(at(&m, CALL_pool_allocate), 0);
    make(&m, 16 + 8 * 125, 400);
    assert_true(calls_take(&m, why, sizeof why));
    assert_true(hsa.queue_create && !hsa.vmem_map);
    m.root_head[1] = 16; /* a root table that lists no other tables */
    assert_false(calls_take(&m, why, sizeof why));
}
