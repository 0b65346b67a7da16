#include "tui/term/term_impl.h"

#include <string.h>

const char flow_question[4] = {'\033', '[', '5', 'n'};

/*
 * Sending a slice takes about SLICE_S seconds. A line is slow below SLOW_RATE, and fast again above
 * FAST_RATE.
 */
#define SLICE_S   0.2
#define SLOW_RATE 20000.0 /* bytes/s: a full frame in under a third of a second */
#define FAST_RATE 60000.0

/* Bytes. STEP: of a step while the state is unknown; LEAST: the smallest slice. */
enum { FIRST = 2048, STEP = 240, LEAST = 96, UNASKED_MAX = 64 << 10 };
#define MUTE_NS 5000000000u
#define LOST_NS 30000000000u /* so long without an answer: the line was interrupted, ask again */
/* a key waits so long for an answer, because an answer tells more than another step */
#define KEY_NS      8000000u
#define LATE_KEY_NS 64000000u
#define PROBE_NS    5000000000u /* how often a fast line gets a request */

/*
 * While the state is unknown, a step is sent every eighth of the five seconds, answered or not. For
 * a key it is sent after KEY_NS. If no requests are left, it is sent after LATE_KEY_NS, which still
 * seems immediate: keys must work with a terminal that never answers.
 */
static uint64_t next_step(const struct term_flow *f)
{
    if (!f->urgent)
        return f->sent_ns + MUTE_NS / 8;
    return f->sent_ns + (f->asked < FLOW_REQUESTS ? KEY_NS : LATE_KEY_NS);
}

static bool must_wait(const struct term_flow *f, uint64_t now)
{
    if (f->asked && f->state == FLOW_UNKNOWN)
        return now < next_step(f);
    return f->asked > 0;
}

bool flow_may_send(struct term_flow *f, uint64_t now)
{
    bool may = !must_wait(f, now) && (f->urgent || now >= f->rest_until);
    if (!may) {
        f->wanted = true;
        f->dropped++;
    }
    return may;
}

size_t flow_budget(const struct term_flow *f)
{
    if (f->state == FLOW_UNKNOWN)
        return f->begun_ns ? STEP : FIRST;
    if (f->state != FLOW_SLOW)
        return SIZE_MAX;
    double n = f->bytes_per_s * SLICE_S;
    return n < LEAST ? LEAST : (size_t)n;
}

bool flow_asks(const struct term_flow *f, uint64_t now)
{
    if (f->state == FLOW_MUTE || f->asked == FLOW_REQUESTS)
        return false;
    return f->state != FLOW_FAST || f->bytes_per_s < FAST_RATE || f->unasked > UNASKED_MAX ||
           now - f->probed_ns >= PROBE_NS;
}

void flow_sent(struct term_flow *f, size_t n, bool asked, bool complete, uint64_t now)
{
    if (!f->begun_ns)
        f->begun_ns = now;
    f->sent_ns = now;
    f->wanted = !complete;
    f->urgent = false;
    f->unasked = asked ? 0 : f->unasked + n;
    if (!asked)
        return;
    f->request[f->asked++] = (struct flow_request){n, now};
    f->probed_ns = now;
}

static void forget_answers(struct term_flow *f, int n)
{
    f->asked -= n;
    memmove(f->request, f->request + n, (size_t)f->asked * sizeof *f->request);
}

/*
 * The time of an answer is the round trip plus the time of its bytes. Comparing it with the
 * quickest answer so far separates the two. If this one does not have more bytes, all of its time
 * is counted for the bytes.
 */
static double estimate_line_rate(struct term_flow *f, const struct flow_request *r, double s)
{
    bool more = f->quick.bytes && r->bytes > f->quick.bytes + f->quick.bytes / 4;
    double least = s / 20 > 1e-6 ? s / 20 : 1e-6; /* the precision of clocks and scheduling */
    double rate = (double)r->bytes / (s > 1e-6 ? s : 1e-6);
    if (more)
        rate =
            (double)(r->bytes - f->quick.bytes) / (s - f->quick_s > least ? s - f->quick_s : least);
    if (!more && rate < f->bytes_per_s && s < 1.5 * f->quick_s)
        rate = f->bytes_per_s; /* this answer tells nothing new */
    if (!f->quick.bytes || s < f->quick_s) {
        f->quick = *r;
        f->quick_s = s;
    }
    return rate;
}

void flow_answered(struct term_flow *f, uint64_t now)
{
    if (f->asked == 0) { /* an answer after the terminal was taken for mute, or typed by hand */
        if (f->state == FLOW_MUTE && f->forgotten) {
            f->state = FLOW_SLOW;
            f->bytes_per_s = LEAST / SLICE_S;
        }
        return;
    }
    struct flow_request r = f->request[0];
    forget_answers(f, 1);
    /* its bytes began to travel when the earlier ones had arrived */
    uint64_t from = r.at_ns > f->answered_ns ? r.at_ns : f->answered_ns;
    double s = (double)(now - from) / 1e9, rate = estimate_line_rate(f, &r, s);
    f->rtt_s = (double)(now - r.at_ns) / 1e9;
    f->answered_ns = now;
    bool slow = f->state == FLOW_SLOW;
    /* a quick answer to few bytes tells the round trip, not the rate */
    if (!slow || s > SLICE_S / 2)
        f->bytes_per_s = slow ? 0.5 * f->bytes_per_s + 0.5 * rate : rate;
    else
        f->bytes_per_s *= 1.5; /* quicker than expected, so try more */
    if (s > 0.15 && rate < SLOW_RATE)
        f->state = FLOW_SLOW;
    else if (!slow || f->bytes_per_s > FAST_RATE)
        f->state = FLOW_FAST;
    f->rest_until = f->state == FLOW_SLOW ? now + (now - from) : 0;
}

uint64_t flow_deadline(const struct term_flow *f)
{
    if (f->asked) {
        if (f->state == FLOW_UNKNOWN)
            return f->wanted ? next_step(f) : f->begun_ns + MUTE_NS;
        return f->request[0].at_ns + (f->state == FLOW_FAST ? MUTE_NS : LOST_NS);
    }
    return f->wanted && f->rest_until ? f->rest_until : FLOW_NOTHING;
}

bool flow_expired(struct term_flow *f, uint64_t now)
{
    if (now < flow_deadline(f))
        return false;
    if (f->asked && f->state == FLOW_FAST) { /* it answered before, so the line has become slow */
        f->state = FLOW_SLOW;
        f->bytes_per_s = (double)f->request[0].bytes / 2;
        return false;
    }
    if (f->asked && f->state == FLOW_UNKNOWN && now >= f->begun_ns + MUTE_NS) {
        f->state = FLOW_MUTE;
        f->forgotten = true;
        forget_answers(f, f->asked);
    } else if (f->asked && f->state == FLOW_SLOW) {
        forget_answers(f, f->asked);
    }
    f->rest_until = 0;
    return f->wanted;
}
