/*
 * Random jobs that hang because one rank stops in its own code: the dumps must tell which rank, and
 * which collective it never entered. A simulation of the ranks' programs is the judge: it knows
 * where each rank is, and looks at nothing that rooftop concludes.
 *
 * The ranks are in several communicators: of all, of blocks, across the blocks, a second one of the
 * same blocks, one that not all are in. The host runs ahead of the GPU; a communicator has a stream
 * of its own or not. A dump may be cut off, and is written on a host whose clock is a little wrong.
 * Communicators are made anew in between, and count from 1 again, or the dumps have the last calls
 * only: with both, that a communicator was made anew may stand in no dump.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backends/flight/flight.h"
#include "engine/job/hang_words.h"
#include "support/flight_dump.h"
#include "support/test.h"

/* Ranks of the largest jobs; every BIG-th job is so large. Fewer under a sanitizer, where
 * everything takes ten times as long. */
#ifdef __SANITIZE_ADDRESS__
enum { RANKS = 128 };
#else
enum { RANKS = 1024 };
#endif
enum {
    SCENES = 100,
    BIG = 25,
    AHEAD = 4,
    STEPS = 24,
    KINDS = 5,
    ALL = 0,
    SOME = 4,
    TIMEOUT_S = 600
};
#define BEGIN  UINT64_C(1700000000000000000)
#define SECOND UINT64_C(1000000000)

static const char *const kinds[KINDS] = {"default_pg", "tensor", "data", "expert", "logging"};

struct step { /* one collective in each communicator of a kind */
    uint32_t kind, count;
    const char *op;
    uint64_t sequence;
    bool anew; /* its communicators were made anew before */
};

enum state { NOT_CALLED, SCHEDULED, STARTED, COMPLETED };

struct scene {
    struct step steps[STEPS];
    uint32_t ranks;
    uint32_t block;   /* ranks of a block */
    uint32_t ahead;   /* calls that a host enqueues before the first of them has ended */
    uint32_t kept;    /* calls in a dump */
    bool remakes;     /* communicators are made anew */
    bool one_stream;  /* the GPU runs the collectives of all communicators one after the other */
    uint32_t who, at; /* the rank that stops, before this step */
    enum state state[RANKS][STEPS];
    uint64_t created[RANKS][STEPS];
    uint32_t next[RANKS]; /* step */
    bool cut[RANKS];      /* its dump */
    uint64_t now;
};

static struct scene s;
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

static uint32_t draw(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(seed >> 33) % below;
}

/* --- communicators --- */

/* That of a kind in which a rank is. Its n is 0 if it is in none. */
static struct flight_group get_communicator(uint32_t kind, uint32_t rank, char name[16])
{
    struct flight_group g = {name, kinds[kind], 0, s.ranks, 1};
    if (kind == 1 || kind == 3)
        g = (struct flight_group){name, kinds[kind], rank / s.block * s.block, s.block, 1};
    if (kind == 2)
        g = (struct flight_group){name, kinds[kind], rank % s.block, s.ranks / s.block, s.block};
    if (kind == SOME)
        g = (struct flight_group){name, kinds[kind], 0, rank % 3 ? 0 : (s.ranks + 2) / 3, 3};
    snprintf(name, 16, "%" PRIu32, kind * RANKS + g.from);
    return g;
}

/* --- the simulation --- */

static void make_steps(void)
{
    static const char *const ops[] = {"all_reduce", "_all_gather_base", "_reduce_scatter_base",
                                      "broadcast", "barrier"};
    uint64_t calls[KINDS] = {0};
    for (uint32_t k = 0; k < STEPS; k++) {
        struct step *t = &s.steps[k];
        *t = (struct step){.kind = draw(KINDS), .count = 1 + draw(4096), .op = ops[draw(5)]};
        t->anew = s.remakes && calls[t->kind] > 2 && draw(4) == 0;
        t->sequence = calls[t->kind] = t->anew ? 1 : calls[t->kind] + 1;
    }
}

static bool is_member(uint32_t k, uint32_t rank)
{
    char name[16];
    return get_communicator(s.steps[k].kind, rank, name).n > 0;
}

/* Calls before step `to` that have not ended; of one kind, or of all (KINDS). */
static uint32_t count_open_calls(uint32_t rank, uint32_t to, uint32_t kind)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < to; k++)
        if (kind == KINDS || s.steps[k].kind == kind)
            n += s.state[rank][k] == SCHEDULED || s.state[rank][k] == STARTED;
    return n;
}

/* Whether the host gets beyond the step: it does not wait in it, or before it. */
static bool call_step(uint32_t rank, uint32_t k)
{
    if (!is_member(k, rank))
        return true;
    if ((rank == s.who && k >= s.at) || count_open_calls(rank, k, KINDS) >= s.ahead)
        return false;
    if (s.steps[k].anew && count_open_calls(rank, k, s.steps[k].kind))
        return false; /* who ends a communicator waits for what runs in it */
    s.state[rank][k] = SCHEDULED;
    s.created[rank][k] = s.now + rank;
    return true;
}

static bool call_next_steps(uint32_t rank)
{
    const uint32_t before = s.next[rank];
    while (s.next[rank] < STEPS && call_step(rank, s.next[rank]))
        s.next[rank]++;
    return s.next[rank] != before;
}

/* The GPU begins the first collective of each of its streams. */
static bool start_steps(uint32_t rank)
{
    bool busy[KINDS] = {false}, started = false;
    for (uint32_t k = 0; k < s.next[rank]; k++) {
        const uint32_t stream = s.one_stream ? 0 : s.steps[k].kind;
        enum state *state = &s.state[rank][k];
        if (*state == SCHEDULED && !busy[stream]) {
            *state = STARTED;
            started = true;
        }
        busy[stream] |= *state == STARTED;
    }
    return started;
}

/* A collective ends in all members as soon as it runs in all of them. */
static bool end_step(uint32_t k, const struct flight_group *g)
{
    for (uint32_t i = 0; i < g->n; i++)
        if (s.state[g->from + i * g->step][k] != STARTED)
            return false;
    for (uint32_t i = 0; i < g->n; i++)
        s.state[g->from + i * g->step][k] = COMPLETED;
    return g->n > 0;
}

static bool end_steps(void)
{
    bool ended = false;
    for (uint32_t k = 0; k < STEPS; k++)
        for (uint32_t r = 0; r < s.ranks; r++) {
            char name[16];
            const struct flight_group g = get_communicator(s.steps[k].kind, r, name);
            if (g.from == r)
                ended |= end_step(k, &g);
        }
    return ended;
}

static void simulate(uint32_t ranks)
{
    s = (struct scene){
        .ranks = ranks, .block = 2u << draw(3), .ahead = 1 + draw(AHEAD), .now = BEGIN};
    s.remakes = draw(2) == 1;
    s.kept = s.remakes ? STEPS : AHEAD + draw(STEPS);
    s.one_stream = draw(2) == 1;
    s.who = draw(s.ranks);
    make_steps();
    do
        s.at = draw(STEPS);
    while (!is_member(s.at, s.who));
    for (uint32_t i = draw(4); i > 0; i--)
        s.cut[draw(s.ranks)] = true;
    for (bool moves = true; moves; s.now += SECOND) {
        moves = false;
        for (uint32_t r = 0; r < s.ranks; r++) {
            moves |= call_next_steps(r);
            moves |= start_steps(r);
        }
        moves |= end_steps();
    }
}

/* --- the dumps --- */

static size_t make_dump(uint32_t rank, char **text)
{
    static const char *const states[] = {
        [SCHEDULED] = "scheduled", [STARTED] = "started", [COMPLETED] = "completed"};
    struct flight_call calls[STEPS];
    struct flight_group groups[KINDS];
    char names[KINDS][16];
    uint32_t n = 0, ngroups = 0;
    size_t size = 0;
    const uint64_t skew = rank / 8 * 7919 % 300 * (SECOND / 1000); /* of the host */
    for (uint32_t i = 0; i < KINDS; i++) {
        groups[ngroups] = get_communicator(i, rank, names[i]);
        ngroups += groups[ngroups].n > 0;
    }
    for (uint32_t k = 0; k < STEPS; k++)
        if (s.state[rank][k] != NOT_CALLED) {
            const struct step *t = &s.steps[k];
            calls[n] = (struct flight_call){.group = names[t->kind],
                                            .description = kinds[t->kind],
                                            .op = t->op,
                                            .sequence = t->sequence,
                                            .in = t->count,
                                            .out = t->count,
                                            .type = "Float",
                                            .state = states[s.state[rank][k]],
                                            .created = s.created[rank][k] + skew,
                                            .record = n,
                                            .timeout_ms = TIMEOUT_S * 1000,
                                            .line = 80 + (int)k};
            n++;
        }
    const uint32_t kept = n < s.kept ? n : s.kept;
    FILE *f = open_memstream(text, &size);
    (rank % 10 == 3 ? flight_dump_json : flight_dump_pickle)(f, groups, ngroups, calls + n - kept,
                                                             kept);
    fclose(f);
    return size;
}

static void read_dumps(void)
{
    struct error err = ERROR_INIT;
    for (uint32_t r = 0; r < s.ranks; r++) {
        char *text = NULL, path[40], why[1024];
        size_t size = make_dump(r, &text);
        if (s.cut[r])
            size = draw((uint32_t)size - 1);
        snprintf(path, sizeof path, "/x/nccl_trace_rank_%" PRIu32, r);
        const int rc =
            flight_add_text(reading, &h, path, text, size, s.now + (TIMEOUT_S + 10) * SECOND, &err);
        if ((rc != 0) != s.cut[r])
            fail_msg("%s", error_format(&err, why, sizeof why));
        free(text);
    }
    assert_int_equal(hang_finish(&h, &err), 0);
}

/* --- the truth --- */

/* Whether a rank, whose dump is there, waits in this step for the one that stopped. */
static bool is_awaited(uint32_t k)
{
    char name[16];
    const struct flight_group g = get_communicator(s.steps[k].kind, s.who, name);
    bool awaited = false;
    for (uint32_t i = 0; i < g.n; i++) {
        const uint32_t r = g.from + i * g.step;
        awaited |= s.state[r][k] == STARTED && !s.cut[r];
    }
    return awaited;
}

/* Says as rooftop does that the rank has not come to this step. */
static void say_truth(uint32_t k, char out[HANG_LINE])
{
    char name[16];
    const struct step *t = &s.steps[k];
    const struct flight_group g = get_communicator(t->kind, s.who, name);
    const bool alone = t->kind == ALL || t->kind == SOME;
    snprintf(out, HANG_LINE, "rank %" PRIu32 " never entered %s #%" PRIu64 " of group %s%s%s; ",
             s.who, t->op, t->sequence, kinds[t->kind], alone ? "" : " ", alone ? "" : g.name);
}

/* Whether the answer is one of the steps in which others wait for the rank. */
static bool is_answer_true(const char *said)
{
    char truth[HANG_LINE];
    bool right = false;
    for (uint32_t k = s.at; k < STEPS && !right; k++) {
        say_truth(k, truth);
        right = is_member(k, s.who) && is_awaited(k) && strncmp(said, truth, strlen(truth)) == 0;
    }
    return right;
}

static bool waits_anybody(void)
{
    bool waits = false;
    for (uint32_t k = s.at; k < STEPS; k++)
        waits |= is_member(k, s.who) && is_awaited(k);
    return waits;
}

TEST(the_rank_that_stopped_and_its_call_are_named_in_each_of_a_hundred_jobs)
{
    uint32_t right = 0, scenes = 0;
    for (seed = 1; scenes < SCENES; seed++) {
        char line[HANG_LINE], truth[HANG_LINE];
        const uint64_t own = seed;
        simulate(scenes % BIG ? 16 + draw(13) * 8 : RANKS);
        s.cut[s.who] = false;
        if (waits_anybody()) {
            scenes++;
            read_dumps();
            hang_say_verdict(&h, line, true);
            const bool good = h.verdict == HANG_MISSING && is_answer_true(line);
            right += good;
            say_truth(s.at, truth);
            if (!good)
                print_message("job %" PRIu64 ": %s\n  instead of: %s\n", own, line, truth);
            hang_free(&h);
        }
        seed = own;
    }
    assert_int_equal(right, SCENES);
}

TEST_MAIN(begin, end)
