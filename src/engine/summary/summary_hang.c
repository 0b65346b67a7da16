/* What dumps of a job that hangs say: who is missing, and what each group and rank is in. */
#include <inttypes.h>
#include <stdio.h>

#include "base/print.h"
#include "engine/job/hang_words.h"
#include "engine/summary/summary_impl.h"

enum { GROUPS_MOST = 64, RANKS_MOST = 1024, NOTES_MOST = 8 };

static const char hang_how[] =
    "Each rank numbers the collectives of a group by itself, so equal numbers are the same "
    "collective, and no clock is compared. Of each group the first number counts that some rank "
    "has not ended. Where the missing ranks wait in another group, that group is the cause.";

static const char *const place_how[HANG_PLACES] = {
    [HANG_WAITS] = "It is in the collective of the group and waits there for the others.",
    [HANG_PASSED] = "It has ended the collective of the group.",
    [HANG_ABSENT] = "It never entered the collective of the group. The call here is its last one "
                    "in the group: after it, it is busy, or has stopped, in its own code.",
    [HANG_DIFFERS] = "Its call with this number is another one than that of the others, or has "
                     "other sizes or types.",
    [HANG_NOT_BEGUN] = "It has enqueued the call, but its GPU has not begun it, as those of others "
                       "have: work before it on that GPU does not end.",
    [HANG_NO_DUMP] = "It left no file: it ended before, was killed, or the file was not copied.",
    [HANG_UNCLEAR] = "Its file no longer has calls that are so old: they were overwritten. Or "
                     "the file is older than the hang.",
};

/* --- stacks --- */

struct hang_list { /* texts, a line each */
    char text[8192];
    size_t n;
};

/* Appends who called what, and the frames. */
static void list_hang_stack(struct hang_list *l, const struct hang *h, uint32_t rank,
                            const struct hang_call *c)
{
    char line[HANG_LINE];
    if (!c || c->stack == HANG_UNKNOWN)
        return;
    const struct hang_stack *stack = &h->stacks[c->stack];
    if (l->n)
        l->n += (size_t)snprintf(l->text + l->n, sizeof l->text - l->n, "\n");
    l->n += print_line(l->text + l->n, sizeof l->text - l->n,
                       "where rank %" PRIu32 " called %s #%" PRIu64, rank,
                       h->signatures[c->signature].op, c->sequence);
    for (uint32_t i = 0; i < stack->n && sizeof l->text - l->n > HANG_LINE + 1; i++)
        l->n += (size_t)snprintf(l->text + l->n, sizeof l->text - l->n, "\n%s",
                                 hang_say_frame(&h->frames[stack->frames[i]], line));
}

/* The stacks of the first rank that waits, and of the first that does something else. */
static void list_verdict_stacks(struct hang_list *l, const struct hang *h)
{
    const struct hang_group *g = h->nwaiting ? &h->groups[h->order[0]] : NULL;
    if (h->verdict == HANG_PAIRS) {
        const struct hang_rank *r = &h->ranks[h->pair_at];
        list_hang_stack(l, h, r->number, &r->calls[h->pair_call]);
        return;
    }
    for (int pass = 0; g && pass < 2; pass++)
        for (uint32_t i = 0; i < g->nmembers; i++) {
            const struct hang_member *m = &g->members[i];
            const struct hang_call *c = hang_member_call(h, m);
            if ((m->place == HANG_WAITS) != (pass == 0) || !c || c->stack == HANG_UNKNOWN)
                continue;
            list_hang_stack(l, h, m->rank, c);
            break;
        }
}

/* NULL: nothing is listed. */
static const char *keep_hang_list(struct summary *s, const struct hang_list *l)
{
    return l->n ? arena_strdup(&s->memory, l->text) : NULL;
}

/* --- lines --- */

static void add_hang_head(struct summary *s, const struct hang *h)
{
    uint64_t calls = 0;
    for (uint32_t i = 0; i < h->n; i++)
        calls += h->ranks[i].ncalls;
    summary_head(s, summary_count(s, h->n, "dump of a hang", "dumps of a hang"));
    summary_head(s, summary_count(s, calls, "call", "calls"));
    summary_head(s, summary_count(s, h->ngroups, "group", "groups"));
}

static void add_hang_answer(struct summary *s, const struct hang *h, bool ascii)
{
    char line[HANG_LINE], evidence[HANG_EVIDENCE][HANG_LINE];
    struct hang_list list = {.n = 0};
    list_verdict_stacks(&list, h);
    summary_add(
        s, (struct summary_line){.label = "verdict",
                                 .text = arena_strdup(&s->memory, hang_say_verdict(h, line, ascii)),
                                 .next = "rooftop report ranks",
                                 .how = hang_how,
                                 .list = keep_hang_list(s, &list),
                                 .tone = SUMMARY_VERDICT});
    const int n = hang_say_evidence(h, evidence, ascii);
    for (int i = 0; i < n; i++)
        summary_say(s, i ? "" : "because", NULL, hang_how, "%s", evidence[i]);
}

static void add_hang_groups(struct summary *s, const struct hang *h, bool ascii)
{
    char line[HANG_LINE];
    for (uint32_t i = 0; i < h->nwaiting && i < GROUPS_MOST; i++) {
        const struct hang_group *g = &h->groups[h->order[i]];
        const char *since = "";
        if (g->waited && !g->doubtful)
            since = arena_printf(&s->memory, "; for %s", summary_time(s, (double)g->waited, ascii));
        summary_say(s, "group", NULL, hang_how, "%s in %s%s", g->label, hang_say_group(h, g, line),
                    since);
    }
    if (h->nwaiting > GROUPS_MOST)
        summary_say(s, "", NULL, hang_how, "and %" PRIu32 " more", h->nwaiting - GROUPS_MOST);
}

static void add_hang_rank_line(struct summary *s, const struct hang *h, const struct hang_member *m)
{
    char line[HANG_LINE];
    struct hang_list list = {.n = 0};
    list_hang_stack(&list, h, m->rank, hang_member_call(h, m));
    const struct summary_line row = {.label = arena_printf(&s->memory, "rank %" PRIu32, m->rank),
                                     .text = arena_strdup(&s->memory, hang_say_member(h, m, line)),
                                     .how = place_how[m->place],
                                     .list = keep_hang_list(s, &list)};
    summary_add(s, row);
}

/* The ranks of the group of the answer, those who do not wait first. */
static void add_hang_ranks(struct summary *s, const struct hang *h)
{
    const struct hang_group *g = &h->groups[h->order[0]];
    uint32_t shown = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < g->nmembers && shown < RANKS_MOST; i++)
            if ((g->members[i].place == HANG_WAITS) == (pass == 1)) {
                add_hang_rank_line(s, h, &g->members[i]);
                shown++;
            }
    if (g->nmembers > shown)
        summary_say(s, "", NULL, hang_how, "and %" PRIu32 " more", g->nmembers - shown);
}

static void add_hang_note(struct summary *s, const char *label, const char *text)
{
    summary_add(s, (struct summary_line){.label = label,
                                         .text = text,
                                         .how = "A rank whose file is left out counts as one "
                                                "without a dump.",
                                         .next = "rooftop report ranks",
                                         .tone = SUMMARY_FAINT});
}

static void add_hang_notes(struct summary *s, const struct hang *h)
{
    for (uint32_t i = 0; i < h->nnotes && i < NOTES_MOST; i++)
        add_hang_note(s, i ? "" : "notes", arena_strdup(&s->memory, h->notes[i]));
    if (h->nnotes > NOTES_MOST)
        add_hang_note(s, "",
                      arena_printf(&s->memory, "and %" PRIu32 " more", h->nnotes - NOTES_MOST));
}

void summary_add_hang(struct summary *s, const struct hang *h, bool ascii)
{
    add_hang_head(s, h);
    add_hang_answer(s, h, ascii);
    add_hang_groups(s, h, ascii);
    if (h->nwaiting)
        add_hang_ranks(s, h);
    add_hang_notes(s, h);
}
