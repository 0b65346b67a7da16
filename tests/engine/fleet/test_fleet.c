/* The model of many hosts: states, history, pictures of the past, and who is far from the others.
 */
#include "engine/fleet/fleet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/fleet/fleet_fields.h"
#include "engine/value/list_order.h"
#include "support/test.h"

#define S UINT64_C(1000000000)
enum { HOSTS = 64, SAMPLES = 9 };

static struct fleet *f;
static uint64_t seed;

FIXTURE(set_up)
{
    f = fleet_new(0);
    seed = 1;
}

FIXTURE(tear_down)
{
    fleet_free(f);
    f = NULL;
}

/* A share from 0 to 1 (Knuth's MMIX generator). */
static double draw(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double draw_normal(void)
{
    return sqrt(-2 * log(draw())) * cos(6.283185307179586 * draw());
}

static int add(const char *name)
{
    struct error err = ERROR_INIT;
    return fleet_add_host(f, name, 1, &err);
}

static bool take(int host, enum fleet_metric m, double v, uint64_t t)
{
    struct fleet_sample s;
    fleet_sample_begin(&s, t);
    fleet_sample_add(&s, m, v);
    return fleet_take_sample(f, host, &s, t);
}

TEST_WITH(devices_are_joined_as_the_table_says, set_up, tear_down)
{
    struct fleet_sample s;
    fleet_sample_begin(&s, 1);
    assert_true(isnan(s.v[FLEET_gpu_power]));
    for (int i = 1; i <= 3; i++) {
        fleet_sample_add(&s, FLEET_gpu_power, 100 * i);
        fleet_sample_add(&s, FLEET_gpu_busy, 10 * i);
        fleet_sample_add(&s, FLEET_gpu_temperature, 40 + i);
        fleet_sample_add(&s, FLEET_gpu_clock, 1e9 * i);
    }
    fleet_sample_add(&s, FLEET_gpu_power, NAN);
    assert_true(s.v[FLEET_gpu_power] == 600);
    assert_true(s.v[FLEET_gpu_busy] == 20);
    assert_true(s.v[FLEET_gpu_temperature] == 43);
    assert_true(s.v[FLEET_gpu_clock] == 1e9);
    assert_int_equal(fleet_metric_named("gpu_busy"), FLEET_gpu_busy);
    assert_int_equal(fleet_metric_named("gpu"), FLEET_METRICS);
}

TEST_WITH(a_host_has_one_row_whoever_names_it, set_up, tear_down)
{
    struct error err = ERROR_INIT;
    char name[200];
    assert_int_equal(add("a"), 0);
    assert_int_equal(add("b"), 1);
    assert_int_equal(add("a"), 0);
    assert_int_equal(fleet_hosts(f), 2);
    assert_true(fleet_add_host(f, "", 1, &err) < 0);
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_true(fleet_add_host(f, name, 1, &err) < 0);
    for (int i = 2; i < FLEET_HOSTS_MAX; i++) {
        snprintf(name, sizeof name, "h%d", i);
        assert_int_equal(add(name), i);
    }
    assert_true(fleet_add_host(f, "one more", 1, &err) < 0);
    assert_int_equal(err.kind, ERROR_USAGE);
}

TEST_WITH(a_host_is_connecting_then_live_then_late_then_lost, set_up, tear_down)
{
    const int a = add("a");
    struct fleet_picture *p = fleet_picture_new(f, S, S);
    assert_int_equal(p->rows[0].state, FLEET_CONNECTING);
    assert_true(isnan(p->rows[0].age_s) && isnan(p->rows[0].v[FLEET_cpu]));
    fleet_picture_unref(p);

    assert_true(take(a, FLEET_cpu, 7, 2 * S));
    assert_false(take(a, FLEET_cpu, 9, 2 * S)); /* not newer */
    p = fleet_picture_new(f, 4 * S, 4 * S);
    assert_int_equal(p->rows[0].state, FLEET_LIVE);
    assert_true(p->rows[0].age_s == 2 && p->rows[0].v[FLEET_cpu] == 7);
    fleet_picture_unref(p);

    p = fleet_picture_new(f, 6 * S, 6 * S); /* 4 of its intervals */
    assert_int_equal(p->rows[0].state, FLEET_LATE);
    assert_true(p->rows[0].v[FLEET_cpu] == 7); /* the last that is known */
    assert_int_equal(p->states[FLEET_LATE], 1);
    fleet_picture_unref(p);

    fleet_set_state(f, a, FLEET_LOST, "connection %s", "refused");
    p = fleet_picture_new(f, 7 * S, 7 * S);
    assert_int_equal(p->rows[0].state, FLEET_LOST);
    assert_string_equal(p->rows[0].reason, "connection refused");
    fleet_picture_unref(p);

    take(a, FLEET_cpu, 8, 8 * S);
    p = fleet_picture_new(f, 8 * S, 8 * S);
    assert_int_equal(p->rows[0].state, FLEET_LIVE);
    assert_string_equal(p->rows[0].reason, "");
    fleet_picture_unref(p);
}

TEST_WITH(a_clock_that_is_set_back_makes_no_host_late, set_up, tear_down)
{
    struct fleet_sample s;
    const int a = add("a");
    assert_true(take(a, FLEET_cpu, 7, 90000 * S));
    fleet_sample_begin(&s, 3600 * S);
    fleet_sample_add(&s, FLEET_cpu, 8);
    assert_false(fleet_take_sample(f, a, &s, 0)); /* of the past */
    assert_true(fleet_take_sample(f, a, &s, 90010 * S));
    struct fleet_picture *p = fleet_picture_new(f, 90010 * S, 3600 * S);
    assert_int_equal(p->rows[a].state, FLEET_LIVE);
    assert_true(p->rows[a].v[FLEET_cpu] == 8);
    fleet_picture_unref(p);
}

TEST_WITH(history_is_bounded_and_can_be_looked_at_again, set_up, tear_down)
{
    double v[200];
    uint64_t when[200], oldest, newest;
    const int a = add("a"), b = add("b");
    assert_false(fleet_span(f, &oldest, &newest));
    for (uint64_t i = 1; i <= 500; i++)
        take(a, FLEET_cpu, (double)(i % 100), i * S);
    take(b, FLEET_cpu, 1, 450 * S);
    assert_int_equal(fleet_history(f, a, FLEET_cpu, 200, v, when), FLEET_HISTORY);
    assert_true(when[0] == (501 - FLEET_HISTORY) * S && when[FLEET_HISTORY - 1] == 500 * S);
    assert_int_equal(fleet_history(f, a, FLEET_cpu, 3, v, NULL), 3);
    assert_true(v[0] == 98 && v[2] == 0);
    assert_int_equal(fleet_history(f, 9, FLEET_cpu, 3, v, NULL), 0);
    assert_true(fleet_span(f, &oldest, &newest));
    assert_true(newest == 500 * S);

    struct fleet_picture *p = fleet_picture_at(f, 451 * S + S / 2);
    assert_true(p->past && p->rows[a].v[FLEET_cpu] == 51 && p->rows[a].age_s == 0.5);
    assert_int_equal(p->rows[b].state, FLEET_LIVE);
    fleet_picture_unref(p);
    p = fleet_picture_at(f, 449 * S);
    assert_int_equal(p->rows[b].state, FLEET_LOST);
    assert_string_equal(p->rows[b].reason, "no sample of that time is kept");
    assert_true(isnan(p->rows[b].v[FLEET_cpu]));
    fleet_picture_unref(p);
    p = fleet_picture_at(f, 460 * S);
    assert_int_equal(p->rows[b].state, FLEET_LATE);
    fleet_picture_unref(p);
}

/* --- outliers --- */

/* Fills the fleet with equal hosts: each metric has a level of the fleet, hosts that differ from it
 * by `between` spreads, and samples that differ from their host's by as much; `bursts`: the
 * share of samples that are a burst. */
static void fill_healthy(int n, double between, double bursts)
{
    char name[16];
    double level[FLEET_METRICS];
    for (int m = 0; m < FLEET_METRICS; m++)
        level[m] = fleet_metrics[m].spread * (10 + 20 * draw());
    for (int h = 0; h < n; h++) {
        snprintf(name, sizeof name, "n%03d", h);
        const int host = add(name);
        double own[FLEET_METRICS];
        for (int m = 0; m < FLEET_METRICS; m++)
            own[m] = level[m] + between * fleet_metrics[m].spread * draw_normal();
        for (uint64_t t = 1; t <= SAMPLES; t++) {
            struct fleet_sample s;
            fleet_sample_begin(&s, t * S);
            const bool burst = draw() < bursts;
            for (int m = 0; m < FLEET_METRICS; m++)
                fleet_sample_add(&s, (enum fleet_metric)m,
                                 own[m] + between * fleet_metrics[m].spread * draw_normal() +
                                     (burst ? 50 * fleet_metrics[m].spread : 0));
            fleet_take_sample(f, host, &s, t * S);
        }
    }
}

static size_t count_outliers(void)
{
    struct fleet_picture *p = fleet_picture_new(f, SAMPLES * S, SAMPLES * S);
    const size_t n = p->outliers;
    fleet_picture_unref(p);
    return n;
}

TEST_WITH(a_healthy_fleet_has_no_outliers, set_up, tear_down)
{
    static const int sizes[] = {5, 6, 8, 12, 24, 64, 200};
    static const double between[] = {0.1, 1, 5};
    size_t wrong = 0, all = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < 3; k++)
            for (int again = 0; again < 12; again++) {
                fleet_free(f);
                f = fleet_new(SAMPLES);
                fill_healthy(sizes[i], between[k], 0.05);
                wrong += count_outliers();
                all++;
            }
    assert_int_equal(all, 252);
    assert_in_range(wrong, 0, 1);
}

TEST_WITH(one_host_far_away_is_named_with_its_metric_and_no_other, set_up, tear_down)
{
    size_t found = 0;
    for (int again = 0; again < 100; again++) {
        const int n = 6 + (int)(draw() * 58), odd = (int)(draw() * n);
        const enum fleet_metric m = (enum fleet_metric)(draw() * FLEET_METRICS);
        const double away = fleet_metrics[m].side == FLEET_SIDE_LOW ? -1 : 1;
        fleet_free(f);
        f = fleet_new(SAMPLES);
        fill_healthy(n, 0.1, 0);
        for (uint64_t t = SAMPLES + 1; t <= 2 * SAMPLES; t++)
            for (int h = 0; h < n; h++) {
                struct fleet_sample s;
                double v;
                fleet_history(f, h, m, 1, &v, NULL);
                fleet_sample_begin(&s, t * S);
                if (h == odd && t == SAMPLES + 1)
                    v +=
                        away * 25 * fmax(fleet_metrics[m].spread, fleet_metrics[m].share * fabs(v));
                fleet_sample_add(&s, m, v);
                fleet_take_sample(f, h, &s, t * S);
            }
        struct fleet_picture *p = fleet_picture_new(f, 2 * SAMPLES * S, 2 * SAMPLES * S);
        const struct fleet_row *row = &p->rows[odd];
        found += p->outliers == 1 && row->outlier == UINT32_C(1) << m && row->worst == (int)m;
        fleet_picture_unref(p);
    }
    assert_in_range(found, 95, 100);
}

TEST_WITH(groups_and_few_hosts_are_not_outliers, set_up, tear_down)
{
    char name[16];
    for (int h = 0; h < 4; h++) {
        snprintf(name, sizeof name, "n%d", h);
        take(add(name), FLEET_cpu, h == 3 ? 100 : 1, S);
    }
    struct fleet_picture *p = fleet_picture_new(f, S, S);
    assert_true(p->outliers == 0 && isnan(p->middle[FLEET_cpu].median));
    fleet_picture_unref(p);
    for (int h = 4; h < HOSTS; h++) { /* 30 of 100 work, the others are idle */
        snprintf(name, sizeof name, "n%d", h);
        take(add(name), FLEET_cpu, h % 10 < 3 ? 100 : 1, S);
    }
    p = fleet_picture_new(f, S, S);
    assert_int_equal(p->outliers, 0);
    assert_true(p->middle[FLEET_cpu].groups);
    fleet_picture_unref(p);
}

/* The median and the deviation by hand: 1 2 3 4 100 -> 3; 2 1 0 1 97 -> 1. */
TEST_WITH(the_middle_is_that_of_arithmetic, set_up, tear_down)
{
    static const double v[] = {4, 100, 1, 3, 2};
    char name[16];
    for (int h = 0; h < 5; h++) {
        snprintf(name, sizeof name, "n%d", h);
        take(add(name), FLEET_gpu_power, v[h], S);
    }
    struct fleet_picture *p = fleet_picture_new(f, S, S);
    const struct fleet_middle *m = &p->middle[FLEET_gpu_power];
    assert_true(m->n == 5 && m->median == 3 && m->mad == 1 && m->most == 100);
    fleet_picture_unref(p);
}

TEST_WITH(equal_hosts_are_ordered_by_their_numbers, set_up, tear_down)
{
    static const char *const names[] = {"node10", "node2", "node1"};
    uint32_t at[3];
    for (int i = 0; i < 3; i++)
        assert_int_equal(add(names[i]), i);
    struct fleet_picture *p = fleet_picture_new(f, S, S);
    list_order(&fleet_rows, p, p->nrows, (struct list_wish){.query = NULL}, at, NULL);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(at[i], 2 - i);
    fleet_picture_unref(p);
}

TEST_WITH(lost_hosts_come_first_and_are_not_judged, set_up, tear_down)
{
    fill_healthy(12, 0.1, 0);
    for (uint64_t i = 1; i <= 9; i++)
        take(7, FLEET_cpu, 1e29, (SAMPLES + i) * S); /* nonsense, which is far from all */
    fleet_set_state(f, 3, FLEET_LOST, "gone");
    fleet_set_state(f, 5, FLEET_LATE, "late");
    struct fleet_picture *p = fleet_picture_new(f, SAMPLES * S, SAMPLES * S);
    assert_int_equal(p->middle[FLEET_cpu].n, 10);
    assert_true(isnan(p->rows[3].distance[FLEET_cpu]));
    for (size_t i = 0; i < p->nrows; i++)
        assert_true(i == 3 || p->rows[i].badness < p->rows[3].badness);
    for (size_t i = 0; i < p->nrows; i++) /* the order of healthy hosts stays */
        assert_true(i == 3 || i == 5 || p->rows[i].outlier || p->rows[i].badness == 0);
    for (size_t i = 0; i < p->nrows; i++)
        assert_true(i == 3 || i == 5 || p->rows[i].badness < p->rows[5].badness);
    struct fleet_picture *same = fleet_picture_ref(p);
    fleet_picture_unref(p);
    assert_int_equal(same->nrows, 12);
    fleet_picture_unref(same);
}
