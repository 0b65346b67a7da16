/* Keeps what the ranks of a hang recorded, each text, frame and stack once. */
#include "engine/job/hang.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/list.h"
#include "base/order.h"
#include "base/text.h"
#include "engine/job/hang_impl.h"

static struct hang_private *get_hang_private(struct hang *h)
{
    if (!h->priv)
        h->priv = xcalloc(1, sizeof *h->priv);
    return h->priv;
}

/* Keeps a text once, so that equal ones have the same address. NULL is "". */
static const char *keep_hang_text(struct hang *h, const char *text)
{
    struct hang_private *p = get_hang_private(h);
    const uint64_t hash = hash_text(0, text ? text : "");
    HASH_EACH (&p->texts_known, hash, i)
        if (strcmp(p->all_texts[i], text ? text : "") == 0)
            return p->all_texts[i];
    hash_table_add(&p->texts_known, hash, p->ntexts);
    LIST_ADD(p->all_texts, p->ntexts, p->texts_room, arena_strdup(&p->texts, text ? text : ""));
    return p->all_texts[p->ntexts - 1];
}

static bool are_sorted(const uint32_t *numbers, uint32_t n)
{
    bool sorted = true;
    for (uint32_t i = 1; i < n && sorted; i++)
        sorted = numbers[i - 1] <= numbers[i];
    return sorted;
}

static bool has_ranks(const struct hang_group *g, const uint32_t *ranks, uint32_t n)
{
    bool same = g->nmembers == n && g->known == (ranks != NULL);
    for (uint32_t i = 0; i < n && same; i++)
        same = g->members[i].rank == ranks[i];
    return same;
}

static struct hang_member *make_hang_members(const uint32_t *ranks, uint32_t n)
{
    struct hang_member *members = xcalloc(n + (size_t)1, sizeof *members);
    for (uint32_t i = 0; i < n; i++)
        members[i] = (struct hang_member){.rank = ranks[i],
                                          .at = HANG_UNKNOWN,
                                          .call = HANG_UNKNOWN,
                                          .last = HANG_UNKNOWN,
                                          .elsewhere = HANG_UNKNOWN};
    return members;
}

/* ranks NULL: the file does not say them. */
uint32_t hang_add_group(struct hang *h, const char *name, const char *description,
                        const uint32_t *ranks, uint32_t n)
{
    struct hang_private *p = get_hang_private(h);
    uint32_t *own = xcalloc(n + (size_t)1, sizeof *own), kept = 0;
    if (n)
        memcpy(own, ranks, n * sizeof *own);
    if (!are_sorted(own, n))
        qsort(own, n, sizeof *own, order_uint32);
    for (uint32_t i = 0; i < n; i++)
        if (kept == 0 || own[i] != own[kept - 1])
            own[kept++] = own[i];
    const uint64_t hash = hash_bytes(hash_text(0, name), own, kept * sizeof *own);
    uint32_t found = HANG_UNKNOWN;
    HASH_EACH (&p->groups, hash, i)
        if (strcmp(h->groups[i].name, name) == 0 &&
            has_ranks(&h->groups[i], ranks ? own : NULL, kept)) {
            found = i;
            break;
        }
    if (found == HANG_UNKNOWN) {
        found = h->ngroups;
        hash_table_add(&p->groups, hash, found);
        struct hang_group g = {.name = keep_hang_text(h, name),
                               .description = keep_hang_text(h, description),
                               .members = make_hang_members(own, kept),
                               .nmembers = kept,
                               .known = ranks != NULL,
                               .sequence = HANG_NO_SEQUENCE};
        LIST_ADD(h->groups, h->ngroups, p->groups_room, g);
    }
    free(own);
    return found;
}

/* --- signatures --- */

/* Whether the sizes or types of this side may differ between ranks: PyTorch,
 * torch/distributed/flight_recorder/components/types.py, Op.match and Op.dtype_mismatch. */
static bool may_differ(const char *op, bool input)
{
    return strcmp(op, input ? "scatter" : "gather") == 0 || text_begins(op, "all_to_all");
}

static uint64_t make_signature_key(const struct hang_signature *s)
{
    const bool scatters = strcmp(s->op, "scatter") == 0 || strcmp(s->op, "broadcast") == 0;
    uint64_t hash = hash_text(1, s->op);
    hash = hash_text(hash, may_differ(s->op, true) ? "" : s->inputs);
    hash = hash_text(hash, may_differ(s->op, false) ? "" : s->outputs);
    hash = hash_text(hash, scatters || s->in == 0 ? "" : s->input_types);
    return hash_text(hash, strcmp(s->op, "gather") == 0 || s->out == 0 ? "" : s->output_types);
}

uint32_t hang_add_signature(struct hang *h, const struct hang_signature *s)
{
    struct hang_private *p = get_hang_private(h);
    const struct hang_signature own = {
        .op = keep_hang_text(h, s->op),
        .inputs = keep_hang_text(h, s->inputs),
        .outputs = keep_hang_text(h, s->outputs),
        .input_types = keep_hang_text(h, s->input_types),
        .output_types = keep_hang_text(h, s->output_types),
        .in = s->in,
        .out = s->out,
    };
    const uint64_t hash = hash_bytes(0, &own, sizeof own);
    HASH_EACH (&p->signatures, hash, i)
        if (memcmp(&h->signatures[i], &own, sizeof own) == 0)
            return i;
    hash_table_add(&p->signatures, hash, h->nsignatures);
    const uint32_t number = h->nsignatures;
    LIST_ADD(h->signatures, h->nsignatures, p->signatures_room, own);
    uint32_t nkeys = number;
    LIST_ADD(p->keys, nkeys, p->keys_room, make_signature_key(&own));
    return number;
}

/* --- stacks --- */

uint32_t hang_add_frame(struct hang *h, const struct hang_frame *f)
{
    struct hang_private *p = get_hang_private(h);
    const char *function = keep_hang_text(h, f->function), *file = keep_hang_text(h, f->file);
    const uint64_t hash = hash_number(hash_text(hash_text(0, function), file), f->line);
    HASH_EACH (&p->frames, hash, i) {
        const struct hang_frame *k = &h->frames[i];
        if (k->function == function && k->file == file && k->line == f->line)
            return i;
    }
    hash_table_add(&p->frames, hash, h->nframes);
    LIST_ADD(h->frames, h->nframes, p->frames_room, (struct hang_frame){function, file, f->line});
    return h->nframes - 1;
}

uint32_t hang_add_stack(struct hang *h, const uint32_t *frames, uint32_t n)
{
    struct hang_private *p = get_hang_private(h);
    const uint64_t hash = hash_bytes(0, frames, n * sizeof *frames);
    HASH_EACH (&p->stacks, hash, i)
        if (h->stacks[i].n == n && memcmp(h->stacks[i].frames, frames, n * sizeof *frames) == 0)
            return i;
    uint32_t *own = arena_alloc(&p->texts, (n + (size_t)1) * sizeof *own);
    memcpy(own, frames, n * sizeof *own);
    hash_table_add(&p->stacks, hash, h->nstacks);
    LIST_ADD(h->stacks, h->nstacks, p->stacks_room, (struct hang_stack){own, n});
    return h->nstacks - 1;
}

/* Whether a file is of the framework: PyTorch's own, or what Python brings. */
static bool is_framework_file(const char *file)
{
    static const char *const parts[] = {"/torch/", "torch/distributed/", "<frozen "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(file, parts[i]))
            return true;
    return *file == '\0';
}

void hang_note(struct hang *h, const char *text)
{
    LIST_ADD(h->notes, h->nnotes, h->notes_room, keep_hang_text(h, text));
}

const struct hang_call *hang_find_call(const struct hang *h, const struct hang_member *m,
                                       uint32_t call)
{
    return m && call != HANG_UNKNOWN ? &h->ranks[m->at].calls[call] : NULL;
}

const struct hang_call *hang_member_call(const struct hang *h, const struct hang_member *m)
{
    return hang_find_call(h, m, m->call != HANG_UNKNOWN ? m->call : m->last);
}

const struct hang_frame *hang_own_frame(const struct hang *h, uint32_t stack)
{
    for (uint32_t i = 0; stack != HANG_UNKNOWN && i < h->stacks[stack].n; i++) {
        const struct hang_frame *f = &h->frames[h->stacks[stack].frames[i]];
        if (!is_framework_file(f->file))
            return f;
    }
    return NULL;
}

/* --- ranks --- */

int hang_add_rank(struct hang *h, const struct hang_rank *r, struct error *err)
{
    struct hang_private *p = get_hang_private(h);
    if (h->n == HANG_RANKS_MOST)
        return error_set(err, ERROR_INPUT, E2BIG, "name fewer files", r->path,
                         "a job can have at most %d ranks", HANG_RANKS_MOST);
    struct hang_rank own = *r;
    own.path = xstrdup(r->path);
    LIST_ADD(h->ranks, h->n, p->ranks_room, own);
    return 0;
}

static int compare_hang_ranks(const void *x, const void *y)
{
    const struct hang_rank *a = x, *b = y;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return strcmp(a->path, b->path);
}

int hang_finish(struct hang *h, struct error *err)
{
    get_hang_private(h);
    if (h->n)
        qsort(h->ranks, h->n, sizeof *h->ranks, compare_hang_ranks);
    for (uint32_t i = 1; i < h->n; i++) {
        const struct hang_rank *r = &h->ranks[i];
        if (r->number == r[-1].number)
            return error_set(err, ERROR_INPUT, EEXIST, "name only the files of one hang", r->path,
                             "it is of rank %" PRIu32 ", as %s", r->number, r[-1].path);
    }
    hang_judge(h);
    return 0;
}

void hang_free(struct hang *h)
{
    struct hang_private *p = h->priv;
    for (uint32_t i = 0; i < h->n; i++) {
        free(h->ranks[i].path);
        free(h->ranks[i].calls);
    }
    for (uint32_t i = 0; i < h->ngroups; i++)
        free(h->groups[i].members);
    free(h->ranks);
    free(h->groups);
    free(h->order);
    free(h->signatures);
    free(h->frames);
    free(h->stacks);
    free(h->notes);
    if (p) {
        struct hash_table *const tables[] = {&p->texts_known, &p->groups, &p->signatures,
                                             &p->frames, &p->stacks};
        for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
            hash_table_free(tables[i]);
        arena_free(&p->texts);
        free(p->all_texts);
        free(p->keys);
        free(p);
    }
    *h = (struct hang){.n = 0};
}
