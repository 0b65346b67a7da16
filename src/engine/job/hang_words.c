/* The answer about a hang in sentences. */
#include "engine/job/hang_words.h"

#include <inttypes.h>
#include <string.h>

#include "base/plural.h"
#include "base/print.h"
#include "engine/value/document.h"

enum { NAMED = 4, PART = 160 };

static const struct hang_group *get_verdict_group(const struct hang *h)
{
    return h->nwaiting ? &h->groups[h->order[0]] : NULL;
}

/* The place of those who are named by a verdict. */
static enum hang_place get_named_place(enum hang_verdict v)
{
    switch (v) {
    case HANG_MISMATCH:
        return HANG_DIFFERS;
    case HANG_DEAD:
        return HANG_NO_DUMP;
    case HANG_GPU:
        return HANG_NOT_BEGUN;
    default:
        return HANG_ABSENT;
    }
}

/* Whether a member is named: one that is held up by another group only where there is no other. */
static bool is_named_member(const struct hang_group *g, const struct hang_member *m,
                            enum hang_place place)
{
    const bool follows = place == HANG_ABSENT || place == HANG_NOT_BEGUN;
    return m->place == place && (!follows || !g->root || m->elsewhere == HANG_UNKNOWN);
}

/* "rank 5", "ranks 5, 7 and 12 more". Returns their number. */
static uint32_t say_named(const struct hang_group *g, enum hang_place place, char out[PART])
{
    uint32_t n = 0, shown = 0;
    size_t at = 0;
    for (uint32_t i = 0; i < g->nmembers; i++)
        n += is_named_member(g, &g->members[i], place);
    at += print_line(out, PART, "%s", n == 1 ? "rank" : "ranks");
    for (uint32_t i = 0; i < g->nmembers && shown < NAMED; i++) {
        if (!is_named_member(g, &g->members[i], place))
            continue;
        const bool last = shown + 1 == n;
        const char *before = last ? " and" : ",";
        at +=
            print_line(out + at, PART - at, "%s %" PRIu32, shown ? before : "", g->members[i].rank);
        shown++;
    }
    if (n > shown)
        print_line(out + at, PART - at, " and %" PRIu32 " more", n - shown);
    return n;
}

static const struct hang_member *find_first_of_place(const struct hang_group *g,
                                                     enum hang_place place)
{
    for (uint32_t i = 0; i < g->nmembers; i++)
        if (is_named_member(g, &g->members[i], place))
            return &g->members[i];
    return NULL;
}

uint32_t hang_named_rank(const struct hang *h)
{
    const struct hang_group *g = get_verdict_group(h);
    const struct hang_member *m = g ? find_first_of_place(g, get_named_place(h->verdict)) : NULL;
    return m ? m->rank : HANG_UNKNOWN;
}

static const char *choose_tense(const struct hang *h, const char *now, const char *past)
{
    return h->ended ? past : now;
}

/* " in train.py:88 backward" */
static void say_where(const struct hang *h, const struct hang_call *c, char out[PART])
{
    const struct hang_frame *f = c ? hang_own_frame(h, c->stack) : NULL;
    const char *slash = f ? strrchr(f->file, '/') : NULL;
    out[0] = '\0';
    if (f)
        print_line(out, PART, " in %s:%" PRIu32 " %s", slash ? slash + 1 : f->file, f->line,
                   f->function);
}

/* "all_reduce #1234 of group default_pg" */
static void say_collective(const struct hang *h, const struct hang_group *g, char out[PART])
{
    print_line(out, PART, "%s #%" PRIu64 " of group %s", h->signatures[g->signature].op,
               g->sequence, g->label);
}

/* "7 ranks wait for 600 s in train.py:88 backward" */
static void say_waiting(const struct hang *h, const struct hang_group *g, char out[PART],
                        bool ascii)
{
    char where[PART], time[VALUE_TEXT_MAX];
    const struct hang_member *m = find_first_of_place(g, HANG_WAITS);
    const uint32_t n = g->count[HANG_WAITS];
    const uint64_t limit = g->timeout_ms * UINT64_C(1000000);
    const char *ranks = plural(n, choose_tense(h, "rank waits", "rank waited"),
                               choose_tense(h, "ranks wait", "ranks waited"));
    say_where(h, hang_find_call(h, m, m ? m->call : 0), where);
    if (g->doubtful || g->waited < limit)
        print_line(out, PART, "%" PRIu32 " %s%s%s%s", n, ranks, g->timed_out ? " longer than " : "",
                   g->timed_out ? value_time((double)limit, ascii, time) : "", where);
    else
        print_line(out, PART, "%" PRIu32 " %s for %s%s", n, ranks,
                   value_time((double)g->waited, ascii, time), where);
}

static void say_mismatch(const struct hang *h, const struct hang_group *g, const char *who,
                         const char *what, char out[HANG_LINE])
{
    const struct hang_member *m = find_first_of_place(g, HANG_DIFFERS);
    const struct hang_call *c = hang_find_call(h, m, m->call);
    const struct hang_signature *theirs = &h->signatures[c->signature],
                                *ours = &h->signatures[g->signature];
    const char *a = theirs->op, *b = "the others called";
    const char *sure = g->tied ? "; as many called one as the other: either may be wrong" : "";
    if (theirs == ours) {
        print_line(out, HANG_LINE, "%s called other operations in the batch %s than the others%s",
                   who, what, sure);
        return;
    }
    if (g->difference == HANG_OP) {
        print_line(out, HANG_LINE, "%s called %s where %s %s%s", who, a, b, what, sure);
        return;
    }
    const bool inputs = theirs->inputs != ours->inputs, sizes = g->difference == HANG_SIZES;
    a = inputs ? theirs->inputs : theirs->outputs;
    b = inputs ? ours->inputs : ours->outputs;
    if (!sizes) {
        a = theirs->input_types != ours->input_types ? theirs->input_types : theirs->output_types;
        b = theirs->input_types != ours->input_types ? ours->input_types : ours->output_types;
    }
    print_line(out, HANG_LINE, "%s called %s with %s %s, the others with %s%s", who, what,
               sizes ? "sizes" : "types", a, b, sure);
}

/* Nobody is missing: all are in it, or some have ended it, or of some it is not known. */
static void say_inside(const struct hang *h, const struct hang_group *g, const char *what,
                       const char *waits, char out[HANG_LINE])
{
    const char *has = choose_tense(h, "has", "had"), *have = choose_tense(h, "have", "had");
    const char *is = choose_tense(h, "is", "was"), *are = choose_tense(h, "are", "were");
    const uint32_t ended = g->count[HANG_PASSED], unclear = g->count[HANG_UNCLEAR];
    char who[PART], rest[PART] = "";
    say_named(g, HANG_WAITS, who);
    if (unclear)
        print_line(rest, sizeof rest, "; of %" PRIu32 " %s the files do not tell", unclear,
                   plural(unclear, "rank", "ranks"));
    if (ended)
        print_line(out, HANG_LINE, "%s %s not ended %s, which %" PRIu32 " %s ended%s; %s", who,
                   plural(g->count[HANG_WAITS], has, have), what, ended,
                   plural(ended, "rank has", "ranks have"), rest, waits);
    else if (unclear)
        print_line(out, HANG_LINE, "%s %s in %s%s; %s", who, plural(g->count[HANG_WAITS], is, are),
                   what, rest, waits);
    else
        print_line(out, HANG_LINE, "all ranks %s in %s and it %s not end; %s", are, what,
                   choose_tense(h, "does", "did"), waits);
}

/* The first that the group lacks and that waits in a send or receive, or in a collective. */
static const struct hang_member *find_lacking(const struct hang *h, const struct hang_group *g,
                                              bool pair)
{
    for (uint32_t i = 0; i < g->nmembers; i++) {
        const struct hang_member *m = &g->members[i];
        const bool lacks = m->place == HANG_ABSENT || m->place == HANG_NOT_BEGUN;
        const struct hang_call *c = lacks ? hang_find_call(h, m, m->elsewhere) : NULL;
        if (c && c->pair == pair)
            return m;
    }
    return NULL;
}

/* Follows a group to the other one that it waits for, or to a send or receive. */
static void say_circle(const struct hang *h, const struct hang_group *g, char out[HANG_LINE])
{
    char what[PART], other[PART];
    const bool pair = h->verdict == HANG_PAIRS;
    const struct hang_member *m = find_lacking(h, g, pair);
    const struct hang_call *c = m ? hang_find_call(h, m, m->elsewhere) : NULL;
    const char *waits = choose_tense(h, "waits", "waited");
    const char *circle =
        choose_tense(h, "groups wait for each other: ", "groups waited for each other: ");
    say_collective(h, g, what);
    if (c)
        print_line(other, sizeof other, "rank %" PRIu32 ", which %s in %s #%" PRIu64 " of group %s",
                   m->rank, waits, h->signatures[c->signature].op, c->sequence,
                   h->groups[c->group].label);
    print_line(out, HANG_LINE, "%s%s %s for %s", pair ? "" : circle, what, waits,
               c ? other
                 : choose_tense(h, "ranks that wait elsewhere", "ranks that waited elsewhere"));
}

static void say_root(const struct hang *h, const struct hang_group *g, char out[HANG_LINE],
                     bool ascii)
{
    char who[PART], what[PART], waits[PART];
    const uint32_t n = say_named(g, get_named_place(h->verdict), who);
    say_collective(h, g, what);
    say_waiting(h, g, waits, ascii);
    switch (h->verdict) {
    case HANG_MISSING:
        print_line(out, HANG_LINE, "%s never entered %s; %s", who, what, waits);
        break;
    case HANG_MISMATCH:
        say_mismatch(h, g, who, what, out);
        break;
    case HANG_DEAD:
        print_line(out, HANG_LINE, "%s left no dump; at %s %s", who, what, waits);
        break;
    case HANG_GPU:
        print_line(out, HANG_LINE, "%s enqueued %s, but %s not begun it; %s", who, what,
                   plural(n, choose_tense(h, "its GPU has", "its GPU had"),
                          choose_tense(h, "their GPUs have", "their GPUs had")),
                   waits);
        break;
    default:
        say_inside(h, g, what, waits, out);
        break;
    }
}

static void say_running(const struct hang *h, const struct hang_group *g, char out[HANG_LINE],
                        bool ascii)
{
    char what[PART], time[VALUE_TEXT_MAX], limit[VALUE_TEXT_MAX];
    const uint64_t ms = g->timeout_ms ? g->timeout_ms : HANG_TIMEOUT_MS;
    say_collective(h, g, what);
    print_line(out, HANG_LINE, "no hang: %s waits for %s, and may wait for %s", what,
               value_time((double)g->waited, ascii, time),
               value_time((double)ms * 1e6, ascii, limit));
}

static void say_pairs(const struct hang *h, char out[HANG_LINE])
{
    const struct hang_rank *r = &h->ranks[h->pair_at];
    const struct hang_call *c = &r->calls[h->pair_call];
    char where[PART];
    say_where(h, c, where);
    print_line(out, HANG_LINE,
               "no collective waits; %" PRIu32 " %s in a send or receive, first rank %" PRIu32
               " in %s of group %s%s",
               h->pairs, plural(h->pairs, "rank waits", "ranks wait"), r->number,
               h->signatures[c->signature].op, h->groups[c->group].label, where);
}

const char *hang_say_verdict(const struct hang *h, char out[HANG_LINE], bool ascii)
{
    const struct hang_group *g = get_verdict_group(h);
    if (h->verdict == HANG_PAIRS && h->nwaiting == 0)
        say_pairs(h, out);
    else if (!g)
        print_line(out, HANG_LINE, "no hang: every rank has ended all its collectives");
    else if (h->verdict == HANG_RUNNING)
        say_running(h, g, out, ascii);
    else if (h->verdict == HANG_CIRCLE || h->verdict == HANG_PAIRS)
        say_circle(h, g, out);
    else
        say_root(h, g, out, ascii);
    return out;
}

/* --- what it rests on --- */

/* What the first of those who are named did last in the group. */
static bool say_last_call(const struct hang *h, const struct hang_group *g, char out[HANG_LINE])
{
    char where[PART];
    const enum hang_place place = get_named_place(h->verdict);
    const struct hang_member *m = find_first_of_place(g, place);
    if (!m || m->at == HANG_UNKNOWN)
        return false;
    const struct hang_call *c = hang_find_call(h, m, m->last);
    if (place == HANG_DIFFERS)
        c = hang_find_call(h, m, m->call);
    if (!c) {
        print_line(out, HANG_LINE, "rank %" PRIu32 " has no call in this group", m->rank);
        return true;
    }
    say_where(h, c, where);
    print_line(out, HANG_LINE, "rank %" PRIu32 ": %s #%" PRIu64 ", %s%s", m->rank,
               h->signatures[c->signature].op, c->sequence,
               hang_state_name((enum hang_state)c->state), where);
    return true;
}

static bool say_timeout(const struct hang_group *g, char out[HANG_LINE], bool ascii)
{
    char since[40], limit[VALUE_TEXT_MAX];
    const uint64_t ms = g->timeout_ms ? g->timeout_ms : HANG_TIMEOUT_MS;
    if (!g->since)
        return false;
    print_line(out, HANG_LINE, "waiting since %s; %s is %s%s", utc_brief(g->since, since),
               g->timeout_ms ? "its timeout" : "the usual timeout",
               value_time((double)ms * 1e6, ascii, limit),
               g->doubtful ? "; that it is over is known by the times of the files only" : "");
    return true;
}

static bool say_no_dumps(const struct hang *h, char out[HANG_LINE])
{
    if (!h->missing)
        return false;
    print_line(out, HANG_LINE,
               "%" PRIu32 " %s left no dump, first rank %" PRIu32
               ": it ended before, was killed, or its file is damaged or was not copied",
               h->missing, plural(h->missing, "rank has", "ranks have"), h->first_missing);
    return true;
}

/* The other groups that wait. */
static bool say_effects(const struct hang *h, char out[HANG_LINE])
{
    char what[PART];
    uint32_t roots = 0, second = 0;
    for (uint32_t i = 1; i < h->nwaiting; i++)
        if (h->groups[h->order[i]].root && h->groups[h->order[i]].timed_out) {
            second = roots ? second : i;
            roots++;
        }
    if (h->nwaiting < 2)
        return false;
    if (roots == 0) {
        print_line(out, HANG_LINE, "%" PRIu32 " other %s for ranks that wait there",
                   h->nwaiting - 1, plural(h->nwaiting - 1, "group waits", "groups wait"));
        return true;
    }
    say_collective(h, &h->groups[h->order[second]], what);
    print_line(out, HANG_LINE, "%" PRIu32 " other %s for itself, first %s", roots,
               plural(roots, "group waits", "groups wait, each"), what);
    return true;
}

int hang_say_evidence(const struct hang *h, char out[HANG_EVIDENCE][HANG_LINE], bool ascii)
{
    const struct hang_group *g = get_verdict_group(h);
    int n = 0;
    if (g) {
        n += say_last_call(h, g, out[n]);
        n += say_timeout(g, out[n], ascii);
        n += say_effects(h, out[n]);
    }
    n += say_no_dumps(h, out[n]);
    return n;
}

/* --- groups, ranks, stacks --- */

const char *hang_say_group(const struct hang *h, const struct hang_group *g, char out[HANG_LINE])
{
    static const struct {
        enum hang_place place;
        const char *said;
    } others[] = {{HANG_ABSENT, "absent"},
                  {HANG_DIFFERS, "differ"},
                  {HANG_NO_DUMP, "without a dump"},
                  {HANG_NOT_BEGUN, "not begun"}};
    size_t n =
        print_line(out, HANG_LINE, "%s #%" PRIu64 ": %" PRIu32 " of %" PRIu32 " wait",
                   h->signatures[g->signature].op, g->sequence, g->count[HANG_WAITS], g->nmembers);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (g->count[others[i].place])
            n += print_line(out + n, HANG_LINE - n, ", %" PRIu32 " %s", g->count[others[i].place],
                            others[i].said);
    return out;
}

const char *hang_say_member(const struct hang *h, const struct hang_member *m, char out[HANG_LINE])
{
    const struct hang_call *c = hang_member_call(h, m);
    size_t n = print_line(out, HANG_LINE, "%-10s", hang_place_name((enum hang_place)m->place));
    if (c)
        n += print_line(out + n, HANG_LINE - n, " %s #%" PRIu64 " %s, %s",
                        h->signatures[c->signature].op, c->sequence,
                        h->signatures[c->signature].inputs,
                        hang_state_name((enum hang_state)c->state));
    c = hang_find_call(h, m, m->elsewhere);
    if (c)
        print_line(out + n, HANG_LINE - n, "; waits in %s #%" PRIu64 " of group %s",
                   h->signatures[c->signature].op, c->sequence, h->groups[c->group].label);
    return out;
}

const char *hang_say_frame(const struct hang_frame *f, char out[HANG_LINE])
{
    print_line(out, HANG_LINE, "%s  %s:%" PRIu32, f->function, f->file, f->line);
    return out;
}
