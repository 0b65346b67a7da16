/* Latency of memory under load: laws that hold on every machine, however busy it is. */
#include <string.h>

#include "backends/roofs/roofs_impl.h"
#include "support/skip.h"
#include "support/test.h"

enum { MIB = 1 << 20 };

TEST(load_grows_from_none_to_all)
{
    struct crew crew = {.n = 0};
    struct host_roofs r = {.n = 0};
    if (crew_find_cpus(&crew) < 2)
        skip_because("one CPU cannot both load and make traffic");
    struct chase chase;
    struct stream_room room[2] = {{NULL, 0}};
    assert_int_equal(chase_make(&chase, 32 * MIB, PAGES_HUGE, (struct roof_place){false, 0}), 0);
    chase_grow(&chase, 32 * MIB);
    struct loaded_wish wish = {.crew = &crew,
                               .cpus = 2,
                               .chase = &chase,
                               .room = room,
                               .share = 16 * MIB,
                               .run_ns = 40000000};
    assert_true(loaded_curves() >= 4);
    assert_int_equal(loaded_measure(&wish, 0, &r), 0);
    assert_int_equal(loaded_measure(&wish, loaded_curves() - 1, &r), 0);
    chase_free(&chase);
    stream_room_free(&room[1]);
    for (size_t i = 0; i < r.n; i++) {
        assert_int_equal(r.rows[i].kind, HOST_ROOF_LOADED);
        assert_string_equal(r.rows[i].level, "DRAM");
        assert_true(r.rows[i].value > 1e-9 && r.rows[i].value < 1e-3);
        assert_true(r.rows[i].load > 0);
        assert_true(r.rows[i].reads == (strcmp(r.rows[i].name, "load") == 0 ? 1 : 0.5));
    }
    if (r.n < 15)
        host_roofs_free(&r);
    if (r.n < 15)
        skip_because("other work disturbed every slice of a point");
    /* without load only the circle moves lines: one for each load */
    const struct host_roof *idle = &r.rows[0], *most = &r.rows[7];
    assert_true(idle->load < 2 * 64 / idle->value);
    assert_true(most->load > 3 * idle->load);
    host_roofs_free(&r);
}

/* All threads run at once, each on a CPU of its own. */
struct meeting {
    uint32_t seen;
};

static void note_thread(void *own, uint32_t i)
{
    struct meeting *m = own;
    __atomic_or_fetch(&m->seen, 1u << i, __ATOMIC_RELAXED);
}

TEST(a_crew_runs_each_thread_once)
{
    struct crew crew = {.work = note_thread};
    struct meeting m = {.seen = 0};
    uint32_t cpus = crew_find_cpus(&crew);
    assert_true(cpus >= 1);
    crew.n = cpus < 8 ? cpus : 8;
    crew.own = &m;
    assert_int_equal(crew_run(&crew), 0);
    assert_int_equal(m.seen, (1u << crew.n) - 1);
}
