/*
 * Hangs of simulated jobs. A simulation of ranks that call collectives in order, of which one
 * stops, calls something else, or leaves no dump, knows the truth; the rules of PyTorch's own
 * analyzer (torch/distributed/flight_recorder/components: build_collectives,
 * check_current_entry_match, error_analysis, Op.match), written again as loops over the entries,
 * are the second judge.
 */
#include "backends/flight/flight.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/flight_dump.h"
#include "support/test.h"

/* Under a sanitizer everything takes ten times as long. */
#ifdef __SANITIZE_ADDRESS__
enum { RANKS = 64 };
#else
enum { RANKS = 1024 };
#endif
enum { STEPS = 6, TEAM = 8, TEAMS = RANKS / TEAM, CASES = 100, CALLS = STEPS, TIMEOUT_S = 600 };
#define BEGIN  UINT64_C(1700000000000000000)
#define SECOND UINT64_C(1000000000)

enum fault { MISSING, OTHER_OP, OTHER_SIZE, OTHER_TYPE, DEAD, SLOW, HEALTHY, FAULTS };

struct step {
    bool team; /* in the group of the rank's team, not of all */
    const char *op;
    int64_t in, out;
};

struct simulated {
    struct step steps[STEPS];
    enum fault fault;
    uint32_t who, at; /* the rank at fault, and its step */
    struct flight_call calls[RANKS][CALLS];
    uint32_t ncalls[RANKS];
    bool blocked[RANKS], has_dump[RANKS];
    uint32_t front_group; /* of the fault: 0 all, 1 + team */
    uint64_t front_sequence;
};

static struct simulated sim;
static struct hang h;
static struct flight *reading;
static uint64_t seed;

FIXTURE(begin)
{
    reading = flight_new();
}

FIXTURE(end)
{
    flight_free(reading);
}

FIXTURE(forget)
{
    hang_free(&h);
}

static uint32_t draw(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(seed >> 33) % below;
}

/* --- the simulation --- */

static char team_names[TEAMS][16];

static struct step make_step(void)
{
    static const char *const ops[] = {"all_reduce", "_all_gather_base", "_reduce_scatter_base",
                                      "broadcast", "barrier"};
    struct step s = {.team = draw(2) == 1, .op = ops[draw(5)], .in = 1 + draw(4096)};
    const int64_t n = s.team ? TEAM : RANKS;
    s.out = s.in;
    if (s.op == ops[1])
        s.out = s.in * n;
    if (s.op == ops[2])
        s.in = s.out * n;
    return s;
}

static struct flight_call *add_call(uint32_t rank, uint32_t k, bool faulty)
{
    struct step s = sim.steps[k];
    struct flight_call *c = &sim.calls[rank][sim.ncalls[rank]++];
    uint64_t sequence = 1;
    if (faulty && sim.fault == OTHER_OP)
        s.op = strcmp(s.op, "all_reduce") == 0 ? "broadcast" : "all_reduce";
    if (faulty && sim.fault == OTHER_SIZE) {
        s.in += 7;
        s.out += 7;
    }
    const char *group = s.team ? team_names[rank / TEAM] : "0";
    for (struct flight_call *b = sim.calls[rank]; b < c; b++)
        sequence += strcmp(b->group, group) == 0;
    *c = (struct flight_call){.group = group,
                              .description = s.team ? "team" : "default_pg",
                              .op = s.op,
                              .sequence = sequence,
                              .in = s.in,
                              .out = s.out,
                              .type = faulty && sim.fault == OTHER_TYPE ? "BFloat16" : "Float",
                              .state = "started",
                              .created = BEGIN + k * SECOND + rank,
                              .record = sim.ncalls[rank] - 1,
                              .timeout_ms = TIMEOUT_S * 1000,
                              .line = 80 + (int)k};
    return c;
}

/* All members of a group come to step k, or do not. */
static void run_step(uint32_t k, uint32_t from, uint32_t n)
{
    bool all = true;
    for (uint32_t r = from; r < from + n; r++) {
        const bool faulty = r == sim.who && k == sim.at && sim.fault != HEALTHY;
        const bool stops =
            faulty && (sim.fault == MISSING || sim.fault == DEAD || sim.fault == SLOW);
        if (stops)
            sim.blocked[r] = true;
        if (sim.blocked[r]) {
            all = false;
            continue;
        }
        add_call(r, k, faulty);
        all &= !faulty;
    }
    for (uint32_t r = from; r < from + n; r++) {
        struct flight_call *last = sim.ncalls[r] ? &sim.calls[r][sim.ncalls[r] - 1] : NULL;
        if (!sim.blocked[r] && all)
            last->state = "completed";
        sim.blocked[r] |= !all;
    }
}

static void simulate(enum fault fault)
{
    memset(&sim, 0, sizeof sim);
    sim.fault = fault;
    sim.who = draw(RANKS);
    sim.at = draw(STEPS);
    for (uint32_t k = 0; k < STEPS; k++)
        sim.steps[k] = make_step();
    for (uint32_t k = 0; k < STEPS; k++)
        for (uint32_t from = 0; from < RANKS; from += sim.steps[k].team ? TEAM : RANKS)
            run_step(k, from, sim.steps[k].team ? TEAM : RANKS);
    for (uint32_t r = 0; r < RANKS; r++)
        sim.has_dump[r] = fault != DEAD || r != sim.who;
    sim.front_group = sim.steps[sim.at].team ? 1 + sim.who / TEAM : 0;
    for (uint32_t k = 0; k <= sim.at; k++)
        sim.front_sequence += sim.steps[k].team == sim.steps[sim.at].team;
}

/* Gives all dumps to rooftop, each tenth in JSON. */
static void read_simulated(uint64_t waited)
{
    struct error err = ERROR_INIT;
    for (uint32_t r = 0; r < RANKS; r++) {
        struct flight_group groups[] = {
            {"0", "default_pg", 0, RANKS, 1},
            {team_names[r / TEAM], "team", r / TEAM * TEAM, TEAM, 1},
        };
        char *text = NULL, path[40], why[1024];
        size_t size = 0;
        if (!sim.has_dump[r])
            continue;
        FILE *f = open_memstream(&text, &size);
        (r % 10 == 3 ? flight_dump_json : flight_dump_pickle)(f, groups, 2, sim.calls[r],
                                                              sim.ncalls[r]);
        fclose(f);
        snprintf(path, sizeof path, "/x/nccl_trace_rank_%" PRIu32, r);
        if (flight_add_text(reading, &h, path, text, size, BEGIN + sim.at * SECOND + waited,
                            &err) != 0)
            fail_msg("%s", error_format(&err, why, sizeof why));
        free(text);
    }
    assert_int_equal(hang_finish(&h, &err), 0);
}

/* --- the rules of PyTorch's analyzer --- */

struct found {
    bool any;
    uint64_t sequence;
    uint32_t nmissing, first_missing;
    uint32_t nerrors, first_error; /* ranks that differ from the first rank of the group */
    bool undecided;                /* the dump of a member is missing */
};

static bool is_op(const struct flight_call *c, const char *a, const char *b)
{
    return strcmp(c->op, a) == 0 || strcmp(c->op, b) == 0;
}

/* Op.match: whether two entries can be the same collective. */
static bool fully_matched(const struct flight_call *a, const struct flight_call *b, uint32_t n)
{
    if (strcmp(a->op, b->op) != 0)
        return false;
    if (!is_op(a, "all_to_all", "scatter") && a->in != b->in)
        return false;
    if (!is_op(a, "all_to_all", "gather") && a->out != b->out)
        return false;
    if (strcmp(a->op, "all_reduce") == 0 && a->in != b->out)
        return false;
    if (is_op(a, "all_gather", "all_gather_base") && b->out != a->in * n)
        return false;
    if (is_op(a, "reduce_scatter", "_reduce_scatter_base") && b->in != a->out * n)
        return false;
    if (!is_op(a, "scatter", "broadcast") && strcmp(a->type, b->type) != 0)
        return false;
    if (strcmp(a->op, "gather") != 0 && strcmp(a->type, b->type) != 0)
        return false;
    return strcmp(a->state, b->state) == 0;
}

static const struct flight_call *entry_of(uint32_t rank, const char *group, uint64_t sequence)
{
    for (uint32_t i = 0; sim.has_dump[rank] && i < sim.ncalls[rank]; i++)
        if (strcmp(sim.calls[rank][i].group, group) == 0 && sim.calls[rank][i].sequence == sequence)
            return &sim.calls[rank][i];
    return NULL;
}

/* The first mismatch that the analyzer reports of a group. Without the dump of a member it says
 * that it cannot decide. */
static struct found analyze(const char *group, uint32_t from, uint32_t n)
{
    for (uint32_t r = from; r < from + n; r++)
        if (!sim.has_dump[r])
            return (struct found){.undecided = true};
    for (uint64_t sequence = 1; sequence <= STEPS; sequence++) {
        struct found f = {
            .sequence = sequence, .first_missing = UINT32_MAX, .first_error = UINT32_MAX};
        const struct flight_call *first = NULL;
        for (uint32_t r = from; r < from + n && !first; r++)
            first = entry_of(r, group, sequence);
        for (uint32_t r = from; r < from + n && first; r++) {
            const struct flight_call *e = entry_of(r, group, sequence);
            if (!e) {
                f.nmissing++;
                f.first_missing = r < f.first_missing ? r : f.first_missing;
            } else if (!fully_matched(first, e, n)) {
                f.nerrors++;
                f.first_error = r < f.first_error ? r : f.first_error;
            }
        }
        f.any = f.nmissing || f.nerrors;
        if (f.any)
            return f;
    }
    return (struct found){.any = false};
}

/* --- the comparison --- */

static void group_of(uint32_t number, const char **name, uint32_t *from, uint32_t *n)
{
    *name = number ? team_names[number - 1] : "0";
    *from = number ? (number - 1) * TEAM : 0;
    *n = number ? TEAM : RANKS;
}

static const struct hang_group *find_group(const char *name)
{
    for (uint32_t i = 0; i < h.ngroups; i++)
        if (strcmp(h.groups[i].name, name) == 0)
            return &h.groups[i];
    return NULL;
}

static uint32_t first_of_place(const struct hang_group *g, enum hang_place place)
{
    for (uint32_t i = 0; i < g->nmembers; i++)
        if (g->members[i].place == place)
            return g->members[i].rank;
    return UINT32_MAX;
}

/* What PyTorch reports of each group, rooftop finds, too, and nothing else. */
static void compare_with_analyzer(void)
{
    for (uint32_t i = 0; i <= TEAMS; i++) {
        const char *name;
        uint32_t from, n;
        group_of(i, &name, &from, &n);
        const struct found f = analyze(name, from, n);
        const struct hang_group *g = find_group(name);
        assert_non_null(g);
        if (!f.any && !f.undecided)
            assert_int_equal(g->count[HANG_ABSENT] + g->count[HANG_DIFFERS], 0);
        if (!f.any)
            continue;
        assert_int_equal(g->sequence, f.sequence);
        assert_int_equal(g->count[HANG_ABSENT], f.nmissing);
        if (f.nmissing)
            assert_int_equal(first_of_place(g, HANG_ABSENT), f.first_missing);
        /* PyTorch takes the group's first rank for right, rooftop the majority. */
        if (f.nerrors == n - 1)
            assert_int_equal(first_of_place(g, HANG_DIFFERS), from);
        else if (f.nerrors)
            assert_int_equal(first_of_place(g, HANG_DIFFERS), f.first_error);
    }
}

/* The verdict is the simulated fault: its group, collective, rank and line. */
static void compare_with_truth(void)
{
    static const enum hang_verdict verdicts[FAULTS] = {
        [MISSING] = HANG_MISSING,     [OTHER_OP] = HANG_MISMATCH, [OTHER_SIZE] = HANG_MISMATCH,
        [OTHER_TYPE] = HANG_MISMATCH, [DEAD] = HANG_DEAD,         [SLOW] = HANG_RUNNING,
        [HEALTHY] = HANG_NONE,
    };
    static const enum hang_place places[FAULTS] = {
        [MISSING] = HANG_ABSENT,     [OTHER_OP] = HANG_DIFFERS, [OTHER_SIZE] = HANG_DIFFERS,
        [OTHER_TYPE] = HANG_DIFFERS, [DEAD] = HANG_NO_DUMP,     [SLOW] = HANG_ABSENT,
    };
    const char *name;
    uint32_t from, n;
    assert_int_equal(h.verdict, verdicts[sim.fault]);
    assert_int_equal(h.missing, sim.fault == DEAD);
    if (sim.fault == HEALTHY) {
        assert_int_equal(h.nwaiting, 0);
        return;
    }
    group_of(sim.front_group, &name, &from, &n);
    const struct hang_group *g = &h.groups[h.order[0]];
    assert_string_equal(g->name, name);
    assert_int_equal(g->sequence, sim.front_sequence);
    assert_true(g->root);
    assert_int_equal(g->count[places[sim.fault]], 1);
    assert_int_equal(first_of_place(g, places[sim.fault]), sim.who);
    assert_string_equal(h.signatures[g->signature].op, sim.steps[sim.at].op);
    for (uint32_t i = 0; i < g->nmembers; i++) {
        const struct hang_member *m = &g->members[i];
        if (m->place != HANG_WAITS || m->rank % 10 == 3) /* JSON has no frames */
            continue;
        const struct hang_frame *f = hang_own_frame(&h, h.ranks[m->at].calls[m->call].stack);
        assert_non_null(f);
        assert_int_equal(f->line, 80 + sim.at + 100);
        assert_string_equal(f->function, "backward");
    }
}

TEST_WITH(a_hundred_hangs_are_named_rightly, NULL, forget)
{
    for (uint32_t i = 0; i < TEAMS; i++)
        snprintf(team_names[i], sizeof team_names[i], "%" PRIu32, i + 1);
    for (uint32_t i = 0; i < CASES; i++) {
        const enum fault fault = (enum fault)(i % FAULTS);
        seed = 1000 + i;
        simulate(fault);
        read_simulated((fault == SLOW ? 1 + draw(TIMEOUT_S - 60) : TIMEOUT_S + 1 + draw(30)) *
                       SECOND);
        compare_with_truth();
        compare_with_analyzer();
        hang_free(&h);
    }
}

/* --- cases made by hand --- */

static struct flight_call call(const char *group, const char *op, uint64_t sequence,
                               const char *state)
{
    return (struct flight_call){.group = group,
                                .description = "",
                                .op = op,
                                .sequence = sequence,
                                .in = 4,
                                .out = 4,
                                .type = "Float",
                                .state = state,
                                .created = BEGIN + sequence * SECOND,
                                .record = (uint32_t)sequence - 1,
                                .timeout_ms = TIMEOUT_S * 1000,
                                .line = 7};
}

static int add_dump(uint32_t rank, const struct flight_call *calls, size_t n, uint64_t waited)
{
    static const struct flight_group groups[] = {{"a", "", 0, 3, 1}, {"b", "", 0, 2, 1}};
    struct error err = ERROR_INIT;
    char *text = NULL, path[40];
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    flight_dump_pickle(f, groups, 2, calls, n);
    fclose(f);
    snprintf(path, sizeof path, "/x/rank_%" PRIu32 ".pickle", rank);
    const int rc = flight_add_text(reading, &h, path, text, size, BEGIN + SECOND + waited, &err);
    free(text);
    return rc;
}

static void finish(void)
{
    struct error err = ERROR_INIT;
    assert_int_equal(hang_finish(&h, &err), 0);
}

/* The answer is that this rank never entered the collective of this number. */
static void expect_missing(uint32_t rank, uint64_t sequence)
{
    finish();
    assert_int_equal(h.verdict, HANG_MISSING);
    assert_int_equal(h.groups[h.order[0]].sequence, sequence);
    assert_int_equal(first_of_place(&h.groups[h.order[0]], HANG_ABSENT), rank);
}

TEST_WITH(groups_that_wait_for_each_other_are_a_circle, NULL, forget)
{
    const struct flight_call a = call("a", "all_reduce", 1, "started"),
                             b = call("b", "all_reduce", 1, "started");
    add_dump(0, &a, 1, 700 * SECOND);
    add_dump(1, &b, 1, 700 * SECOND);
    add_dump(2, &a, 1, 700 * SECOND);
    finish();
    assert_int_equal(h.verdict, HANG_CIRCLE);
}

TEST_WITH(what_the_gpu_has_not_begun_is_told, NULL, forget)
{
    const struct flight_call begun = call("a", "all_reduce", 1, "started"),
                             not_begun = call("a", "all_reduce", 1, "scheduled");
    add_dump(0, &begun, 1, 700 * SECOND);
    add_dump(1, &not_begun, 1, 700 * SECOND);
    add_dump(2, &begun, 1, 700 * SECOND);
    finish();
    assert_int_equal(h.verdict, HANG_GPU);
    assert_int_equal(first_of_place(&h.groups[h.order[0]], HANG_NOT_BEGUN), 1);
}

TEST_WITH(a_collective_with_all_ranks_in_it_hangs_inside, NULL, forget)
{
    const struct flight_call in = call("a", "all_reduce", 1, "started");
    for (uint32_t r = 0; r < 3; r++)
        add_dump(r, &in, 1, 700 * SECOND);
    finish();
    assert_int_equal(h.verdict, HANG_INSIDE);
}

/* One that has completed a broadcast and went on to the next collective is not missing. */
TEST_WITH(who_has_completed_it_is_not_missing, NULL, forget)
{
    const struct flight_call sender[] = {call("a", "broadcast", 1, "completed"),
                                         call("a", "all_reduce", 2, "started")},
                             waits = call("a", "broadcast", 1, "started");
    add_dump(0, sender, 2, 700 * SECOND);
    add_dump(1, &waits, 1, 700 * SECOND);
    add_dump(2, NULL, 0, 700 * SECOND);
    expect_missing(2, 1);
    assert_int_equal(h.groups[h.order[0]].count[HANG_PASSED], 1);
}

/* What was given up by the watchdog has timed out, whatever the file's time says. */
TEST_WITH(a_call_that_was_given_up_has_timed_out, NULL, forget)
{
    struct flight_call waits = call("b", "all_reduce", 1, "started");
    waits.retired = true;
    add_dump(0, &waits, 1, 2 * SECOND);
    add_dump(1, NULL, 0, 2 * SECOND);
    add_dump(2, NULL, 0, 2 * SECOND);
    finish();
    assert_int_equal(h.verdict, HANG_MISSING);
    assert_false(h.groups[h.order[0]].doubtful);
}

/* A file that was copied long after is not sure to be of a hang. */
TEST_WITH(that_it_is_known_by_the_files_time_only_is_kept, NULL, forget)
{
    const struct flight_call waits = call("b", "all_reduce", 1, "started");
    add_dump(0, &waits, 1, 86400 * SECOND);
    add_dump(1, NULL, 0, 2 * SECOND);
    add_dump(2, NULL, 0, 2 * SECOND);
    finish();
    assert_int_equal(h.verdict, HANG_MISSING);
    assert_true(h.groups[h.order[0]].doubtful);
}

/* A send that waits is no collective that has ended. */
TEST_WITH(a_send_that_waits_is_told, NULL, forget)
{
    struct flight_call send = call("b", "send 0->1", 1, "started");
    send.pair = true;
    add_dump(0, NULL, 0, 700 * SECOND);
    add_dump(1, &send, 1, 700 * SECOND);
    add_dump(2, NULL, 0, 700 * SECOND);
    finish();
    assert_int_equal(h.verdict, HANG_PAIRS);
    assert_int_equal(h.pairs, 1);
    assert_int_equal(h.ranks[h.pair_at].number, 1);
}

/* A group that was made anew counts its calls from 1 again. */
TEST_WITH(a_group_that_was_made_anew_begins_again, NULL, forget)
{
    struct flight_call calls[6];
    for (uint32_t k = 0; k < 6; k++)
        calls[k] = call("a", "all_reduce", k < 4 ? k + 1 : k - 3, "completed");
    calls[3].state = "started"; /* aborted with the first group */
    calls[5].state = "started";
    for (uint32_t r = 0; r < 3; r++)
        add_dump(r, calls, r == 1 ? 5 : 6, 700 * SECOND);
    expect_missing(1, 2);
    assert_int_equal(h.groups[h.order[0]].count[HANG_WAITS], 2);
}

/* Four calls of the group, and one after it was made anew, `later` seconds after the first. */
static void make_new_group(struct flight_call calls[5], uint64_t later)
{
    for (uint32_t k = 0; k < 5; k++)
        calls[k] = call("a", "all_reduce", k < 4 ? k + 1 : 1, k < 4 ? "completed" : "started");
    calls[4].created = BEGIN + later * SECOND;
    calls[4].record = 4;
}

TEST_WITH(a_rank_that_never_came_to_the_new_group_is_named, NULL, forget)
{
    struct flight_call calls[5];
    make_new_group(calls, 5);
    for (uint32_t r = 0; r < 3; r++)
        add_dump(r, calls, r == 1 ? 4 : 5, 700 * SECOND);
    expect_missing(1, 1);
    assert_int_equal(h.groups[h.order[0]].count[HANG_WAITS], 2);
}

/* The earlier group was made anew because its last call did not end. */
TEST_WITH(a_rank_that_never_came_again_after_a_hang_is_named, NULL, forget)
{
    struct flight_call calls[5];
    make_new_group(calls, 700);
    calls[3].state = "started";
    for (uint32_t r = 0; r < 3; r++)
        add_dump(r, calls, r == 1 ? 4 : 5, 1400 * SECOND);
    expect_missing(1, 1);
}

/* Its file begins after the group was made anew, on a host whose clock is behind. */
TEST_WITH(a_rank_that_waits_in_the_new_group_is_not_missing, NULL, forget)
{
    struct flight_call calls[5];
    make_new_group(calls, 30);
    for (uint32_t r = 0; r < 3; r++) {
        calls[4].created = BEGIN + (r == 1 ? 10 : 30) * SECOND;
        add_dump(r, r == 1 ? calls + 4 : calls, r == 1 ? 1 : 5, 700 * SECOND);
    }
    finish();
    assert_int_equal(h.verdict, HANG_INSIDE);
    assert_int_equal(h.groups[h.order[0]].count[HANG_WAITS], 3);
}

/* Nothing overtakes within a group: what comes before an ended collective has ended. */
TEST_WITH(an_end_that_was_not_recorded_is_no_hang, NULL, forget)
{
    const struct flight_call calls[] = {call("a", "all_reduce", 1, "scheduled"),
                                        call("a", "all_reduce", 2, "completed")};
    for (uint32_t r = 0; r < 3; r++)
        add_dump(r, calls, 2, 700 * SECOND);
    finish();
    assert_int_equal(h.verdict, HANG_NONE);
}

/* A batch of sends has one entry for each send, and a last one for the whole batch. PyTorch records
 * only in the last one that the batch has ended, as its test_batched_send_recv shows. */
TEST_WITH(a_batch_of_sends_that_has_ended_does_not_wait, NULL, forget)
{
    struct flight_call calls[] = {
        call("b", "send 0->1", 1, "scheduled"), call("b", "recv 0<-1", 1, "scheduled"),
        call("b", "coalesced", 1, "completed"), call("a", "all_reduce", 1, "started")};
    for (uint32_t k = 0; k < 3; k++)
        calls[k].pair = true;
    add_dump(0, calls, 3, 700 * SECOND); /* it waits nowhere: it is the cause */
    add_dump(1, calls, 4, 700 * SECOND);
    add_dump(2, calls + 3, 1, 700 * SECOND);
    expect_missing(0, 1);
    assert_int_equal(h.pairs, 0);
}

/* Who waits in a send did not stop in its own code, and is no circle either. */
TEST_WITH(a_group_may_wait_for_a_rank_that_waits_in_a_send, NULL, forget)
{
    static const char *const groups[] = {"a", "b"};
    for (size_t i = 0; i < 2; i++) {
        struct flight_call send = call(groups[i], "send 0->1", 1, "started");
        const struct flight_call waits = call("a", "all_reduce", 1, "started");
        send.pair = true;
        add_dump(0, &send, 1, 700 * SECOND);
        add_dump(1, &waits, 1, 700 * SECOND);
        add_dump(2, &waits, 1, 700 * SECOND);
        finish();
        assert_int_equal(h.verdict, HANG_PAIRS);
        assert_int_equal(first_of_place(&h.groups[h.order[0]], HANG_ABSENT), 0);
        hang_free(&h);
    }
}

/* A dump of an earlier run says nothing about this one. */
TEST_WITH(a_file_that_is_older_than_the_hang_names_nobody, NULL, forget)
{
    struct flight_call waits = call("a", "all_reduce", 1, "started");
    waits.created += 3600 * SECOND;
    add_dump(0, &waits, 1, 4300 * SECOND);
    add_dump(1, NULL, 0, 2 * SECOND);
    add_dump(2, &waits, 1, 4300 * SECOND);
    finish();
    const struct hang_group *g = &h.groups[h.order[0]];
    assert_int_equal(g->count[HANG_ABSENT], 0);
    assert_int_equal(first_of_place(g, HANG_UNCLEAR), 1);
}

TEST_WITH(two_files_of_one_rank_are_refused, NULL, forget)
{
    struct error err = ERROR_INIT;
    const struct flight_call waits = call("a", "all_reduce", 1, "started");
    add_dump(0, &waits, 1, SECOND);
    add_dump(0, &waits, 1, SECOND);
    assert_int_equal(hang_finish(&h, &err), -EEXIST);
}

/* What is short in the file may be long to read: one text is the ranks of many groups. */
TEST_WITH(ranks_that_a_file_refers_to_again_and_again_are_refused, NULL, forget)
{
    enum { BLANKS = 1 << 20, GROUPS = 300 };
    static const char group[] = "q\x00"
                                "0}X\x05\x00\x00\x00ranksh\x00sq\x01"
                                "0";
    static const char root[] = "}(X\x07\x00\x00\x00versionX\x04\x00\x00\x00"
                               "2.10X\x09\x00\x00\x00pg_config}(";
    static const char named[] = "X\x01\x00\x00\x00gh\x01";
    struct error err = ERROR_INIT;
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    fwrite("\x80\x02X\x00\x00\x10", 1, 6, f);
    fprintf(f, "%c%*s", 0, BLANKS, "");
    fwrite(group, 1, sizeof group - 1, f);
    fwrite(root, 1, sizeof root - 1, f);
    for (int i = 0; i < GROUPS; i++)
        fwrite(named, 1, sizeof named - 1, f);
    fputs("uu.", f);
    fclose(f);
    assert_int_equal(flight_add_text(reading, &h, "/x/rank_1", text, size, BEGIN, &err), -EINVAL);
    assert_string_equal(err.why, "it refers to the same values again and again");
    free(text);
}

TEST_MAIN(begin, end)
