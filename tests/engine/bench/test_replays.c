/* rooftop's own replays, stored as the replay menu stores them, become results of benchmarks. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "engine/bench/results.h"
#include "engine/replay/replay_store.h"
#include "support/temp_folder.h"
#include "support/test.h"

static char path[96];

static int set_up(void **state)
{
    if (temp_folder_make(state) != 0)
        return -1;
    snprintf(path, sizeof path, "%s/replays.db", temp_folder);
    return 0;
}

static void add_replay(struct replay_store *h, const char *samples, bool emulated, uint64_t ns)
{
    static const struct replay_key key = {"_Z3addPf", "00112233aabbccdd", "1111111111111111"};
    char json[512];
    struct replay_result r;
    struct error err = ERROR_INIT;
    snprintf(
        json, sizeof json,
        "{\"kernel\":{\"name\":\"add\"},\"execution\":{\"iterations\":3,\"mode\":\"stateless\"},"
        "\"timing\":{\"average\":20,\"min\":1,\"max\":99,\"stddev\":0.3,\"median\":20,"
        "\"samples\":[%s]},\"environment\":{\"gpu_agent\":\"gfx942\",\"emulated\":%s}}",
        samples, emulated ? "true" : "false");
    assert_int_equal(replay_result_parse(&r, json, strlen(json)), 0);
    assert_int_equal(replay_store_add(h, &key, REPLAY_FULL_VM, &r, "", ns, &err), 0);
    replay_result_free(&r);
}

struct got {
    size_t n;
    uint64_t ns[4];
    double value[4], first[4];
    char name[4][128], cpu[4][32], commit[4][32];
};

static int keep(void *ctx, const struct bench_results *r, struct error *err)
{
    struct got *g = ctx;
    (void)err;
    assert_in_range(g->n, 0, 3);
    assert_int_equal(r->n, 1);
    assert_string_equal(r->tool, "rooftop replay");
    assert_string_equal(r->list[0].unit, "s");
    g->ns[g->n] = r->wall_ns;
    g->value[g->n] = r->list[0].value;
    g->first[g->n] = r->list[0].n ? r->list[0].v[0] : 0;
    snprintf(g->name[g->n], 128, "%s", r->list[0].name);
    snprintf(g->cpu[g->n], 32, "%s", r->conditions.cpu);
    snprintf(g->commit[g->n++], 32, "%s", r->conditions.commit);
    return 0;
}

TEST_WITH(each_replay_is_a_result, set_up, temp_folder_remove)
{
    char note[256];
    struct got g = {.n = 0};
    struct error err = ERROR_INIT;
    struct replay_store *h;
    assert_int_equal(replay_store_open(&h, temp_folder, false, note, sizeof note, &err), 0);
    add_replay(h, "12,10,11", false, 200);
    add_replay(h, "30,31,32", false, 100);
    add_replay(h, "5,5,5", true, 300);
    replay_store_close(h);
    assert_true(bench_is_database(path));
    assert_int_equal(bench_replays_read(path, keep, &g, &err), 0);
    assert_int_equal(g.n, 3); /* in order of time; microseconds became seconds */
    assert_true(g.ns[0] == 100 && g.ns[1] == 200 && g.ns[2] == 300);
    assert_true(fabs(g.value[0] - 31e-6) < 1e-12 && fabs(g.value[1] - 11e-6) < 1e-12);
    assert_true(fabs(g.first[1] - 12e-6) < 1e-12);
    assert_string_equal(g.name[0], "_Z3addPf, capture 00112233aabbccdd");
    assert_string_equal(g.name[2], "_Z3addPf, capture 00112233aabbccdd (emulated)");
    assert_string_equal(g.cpu[0], "gfx942");
    assert_string_equal(g.commit[0], "1111111111111111");
}

TEST_WITH(another_database_is_refused, set_up, temp_folder_remove)
{
    sqlite3 *db;
    struct got g = {.n = 0};
    struct error err = ERROR_INIT;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE run(a)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_true(bench_is_database(path));
    assert_int_equal(bench_replays_read(path, keep, &g, &err), -EINVAL);
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_int_equal(g.n, 0);
    assert_false(bench_is_database(temp_folder));
    assert_false(bench_is_database("/nonesuch"));
}
