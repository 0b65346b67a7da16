/* Draws only: not for TSan. */
/* Flow control for slow terminals: its decisions, with a simulated line. */
#include <string.h>

#include "tui/term/term_impl.h"
#include "support/test.h"

#define SECOND 1000000000u

/* A line that carries `rate` bytes a second and whose terminal answers after `way` seconds; -1 =
 * never. */
struct line {
    struct term_flow flow;
    double rate, way;
    uint64_t now, free_at; /* when the bytes sent so far will have been carried */
    uint64_t answers[64];  /* arrival times of answers */
    int n;
    size_t sent, longest; /* bytes in all; most bytes of a frame after the first second */
    unsigned frames;
};

static void deliver(struct line *l)
{
    while (l->n && l->answers[0] <= l->now) {
        memmove(l->answers, l->answers + 1, (size_t)--l->n * sizeof *l->answers);
        flow_answered(&l->flow, l->now);
    }
}

/* A frame of n bytes is to be shown; returns how many bytes are sent. */
static size_t frame(struct line *l, size_t n)
{
    deliver(l);
    flow_expired(&l->flow, l->now);
    if (!flow_may_send(&l->flow, l->now))
        return 0;
    size_t budget = flow_budget(&l->flow), part = n < budget ? n : budget;
    bool asks = flow_asks(&l->flow, l->now);
    uint64_t from = l->free_at > l->now ? l->free_at : l->now;
    l->free_at = from + (uint64_t)((double)part / l->rate * SECOND);
    if (asks && l->way >= 0)
        l->answers[l->n++] = l->free_at + (uint64_t)(l->way * SECOND);
    flow_sent(&l->flow, part, asks, part == n, l->now);
    l->sent += part;
    l->frames++;
    if (l->now > SECOND && part > l->longest)
        l->longest = part;
    return part;
}

/* Shows frames of n bytes, ten a second. Returns the longest time that anything was in the line. */
static double run(struct line *l, size_t n, double seconds)
{
    double worst = 0;
    for (uint64_t end = l->now + (uint64_t)(seconds * SECOND); l->now < end;
         l->now += SECOND / 100) {
        deliver(l);
        if (l->now % (SECOND / 10) == 0 || l->flow.wanted)
            frame(l, n);
        double lies = l->free_at > l->now ? (double)(l->free_at - l->now) / SECOND : 0;
        worst = lies > worst && l->now > 6ull * SECOND ? lies : worst;
    }
    return worst;
}

TEST(a_fast_line_is_hardly_asked)
{
    struct line l = {.rate = 1e7, .way = 0.001};
    run(&l, 3000, 60);
    assert_int_equal(l.flow.state, FLOW_FAST);
    assert_true(l.frames > 590); /* few are held back, while an answer is awaited */
    assert_int_equal(flow_budget(&l.flow), SIZE_MAX);
    assert_true(l.flow.dropped < 30);
}

/* A fast line with a long delay: answers come late, bytes do not. */
TEST(a_long_way_is_no_slow_line)
{
    struct line l = {.rate = 1e6, .way = 0.12};
    run(&l, 4000, 60);
    assert_int_equal(l.flow.state, FLOW_FAST);
    if (l.frames <= 550 || l.flow.state != FLOW_FAST)
        fail_msg("%u frames, %g bytes/s, state %d", l.frames, l.flow.bytes_per_s, l.flow.state);
}

TEST(a_slow_line_never_holds_more_than_a_slice)
{
    static const double rates[] = {960, 1920, 5760};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        struct line l = {.rate = rates[i], .way = 0.01};
        double worst = run(&l, 6000, 120);
        if (worst > 0.8)
            fail_msg("at %g bytes/s %g s lay in the line", rates[i], worst);
        assert_int_equal(l.flow.state, FLOW_SLOW);
        /* the measured rate is right, and about half of it is used */
        assert_true(l.flow.bytes_per_s > 0.5 * rates[i] && l.flow.bytes_per_s < 2 * rates[i]);
        double used = (double)l.sent / 120 / rates[i];
        if (used < 0.3 || used > 0.75)
            fail_msg("at %g bytes/s %g of the line is used", rates[i], used);
    }
}

/* The rows of a key wait for the slice that is being carried, but not for the later ones. */
TEST(keys_go_before_the_rest)
{
    struct line l = {.rate = 960, .way = 0.01};
    run(&l, 6000, 30);
    for (int k = 0; k < 20; k++) {
        run(&l, 6000, 0.13 * k);
        uint64_t pressed = l.now;
        l.flow.urgent = true;
        while (frame(&l, 200) == 0)
            l.now += SECOND / 1000;
        double s = (double)(l.free_at - pressed) / SECOND; /* until the terminal has received it */
        if (s > 0.9)
            fail_msg("a key was answered after %g s", s);
    }
}

TEST(a_line_that_becomes_slow_and_fast_again)
{
    struct line l = {.rate = 1e6, .way = 0.01};
    run(&l, 3000, 20);
    assert_int_equal(l.flow.state, FLOW_FAST);
    l.rate = 960;
    run(&l, 3000, 60);
    assert_int_equal(l.flow.state, FLOW_SLOW);
    l.rate = 1e6;
    run(&l, 3000, 60);
    assert_int_equal(l.flow.state, FLOW_FAST);
}

TEST(a_terminal_that_never_answers_is_not_waited_for)
{
    struct line l = {.rate = 1e6, .way = -1};
    run(&l, 3000, 4.9);
    size_t before = l.sent;
    assert_true(before < 8000); /* small steps, because the line might be slow */
    run(&l, 3000, 5);
    assert_int_equal(l.flow.state, FLOW_MUTE);
    assert_true(l.sent - before > 40 * 3000);
    unsigned long dropped = l.flow.dropped;
    run(&l, 3000, 10);
    assert_int_equal(l.flow.dropped, dropped);
    flow_answered(&l.flow, l.now); /* it answers, but very late */
    assert_int_equal(l.flow.state, FLOW_SLOW);
}

/* If a terminal never answers, keys do not wait for that; but a key must not fill a line that may
 * be slow. */
TEST(a_key_does_not_wait_for_the_first_answer)
{
    struct line l = {.rate = 960, .way = -1, .now = SECOND};
    assert_true(frame(&l, 3000) > 0);
    assert_int_equal(frame(&l, 3000), 0); /* data waits */
    unsigned answered = 0;
    for (int k = 0; k < 40; k++) {
        l.now += SECOND / 100;
        l.flow.urgent = true;
        answered += frame(&l, 3000) > 0;
    }
    if (answered < 9)
        fail_msg("%u keys of the first ten were answered at once", answered);
    if (l.sent > 6000)
        fail_msg("%zu bytes went to a line of which nothing is known", l.sent);
}

/* Keys do not wait either when no more requests may be sent. */
TEST(no_key_of_many_waits_long)
{
    struct line l = {.rate = 1e6, .way = -1, .now = SECOND};
    unsigned keys = 0;
    double worst = 0;
    assert_true(frame(&l, 3000) > 0);
    for (uint64_t end = l.now + 4ull * SECOND; l.now < end; keys++) {
        uint64_t pressed = l.now += SECOND / 9;
        l.flow.urgent = true;
        while (frame(&l, 3000) == 0 && l.now < pressed + SECOND)
            l.now = flow_deadline(&l.flow);
        double s = (double)(l.now - pressed) / SECOND;
        worst = s > worst ? s : worst;
    }
    assert_int_equal(l.flow.state, FLOW_UNKNOWN);
    assert_true(keys > 3 * FLOW_REQUESTS);
    if (worst > 0.1)
        fail_msg("a key waited for %.0f ms", 1e3 * worst);
}

TEST(a_lost_answer_is_asked_for_again)
{
    struct line l = {.rate = 960, .way = 0.01};
    run(&l, 3000, 30);
    assert_int_equal(l.flow.state, FLOW_SLOW);
    while (!l.n) {
        frame(&l, 3000);
        l.now += SECOND / 100;
    }
    l.n = 0; /* the answer is lost */
    size_t before = l.sent;
    run(&l, 3000, 60);
    assert_true(l.sent - before > 5000);
}
