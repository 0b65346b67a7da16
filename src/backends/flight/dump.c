/* Takes the collectives of a rank out of the plain data of its dump. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/flight/dump.h"
#include "base/hash.h"
#include "base/list.h"

enum { NAME = 256, SIZES = 160 };

/* A group as the dump calls it. */
struct named_group {
    const struct plain_value *name;
    uint32_t group;
};

struct dump_reading {
    struct hang *h;
    const char *path;
    struct error *err;
    struct named_group *groups;
    uint32_t ngroups, groups_room, present;
    const struct plain_value **entries; /* of each call */
    uint32_t entries_room;
    struct hang_rank rank;
    uint32_t calls_room;
    uint64_t visits; /* values and bytes of ranks looked at: a file may refer to them often */
    const char *why;
    uint32_t entry; /* the present one */
};

/* Many times what a dump of 10^6 calls needs. */
enum { VISITS_MAX = 1 << 28 };

static int refuse_dump(const struct dump_reading *d, const char *why)
{
    return error_set(d->err, ERROR_INPUT, EINVAL,
                     "give it files that PyTorch's flight recorder wrote", d->path, "%s", why);
}

static void copy_plain_text(const struct plain_value *v, char *out, size_t size)
{
    const bool text = v && v->type == PLAIN_TEXT;
    size_t n = text ? v->size : 0;
    n = n < size - 1 ? n : size - 1;
    if (n)
        memcpy(out, v->text, n);
    out[n] = '\0';
}

/* A number, also one that is written as a text. missing: what stands for none. */
static int64_t read_plain_number(const struct plain_value *v, int64_t missing)
{
    char digits[32], *end;
    if (!v)
        return missing;
    if (v->type == PLAIN_NUMBER || v->type == PLAIN_BOOL)
        return v->number;
    if (v->type != PLAIN_TEXT)
        return missing;
    copy_plain_text(v, digits, sizeof digits);
    const int64_t number = strtoll(digits, &end, 10);
    return *digits && !*end ? number : missing;
}

static uint64_t read_plain_time(const struct plain_value *v)
{
    const int64_t ns = read_plain_number(v, 0);
    return ns > 0 ? (uint64_t)ns : HANG_NO_TIME;
}

static bool is_plain_list(const struct plain_value *v)
{
    return v && v->type == PLAIN_LIST;
}

/* --- groups --- */

/* Reads "[0, 1, 5]", as Python prints a list. */
static uint32_t read_ranks(const struct plain_value *v, uint32_t **ranks)
{
    uint32_t n = 0, room = 0;
    *ranks = NULL;
    if (v && v->type == PLAIN_TEXT)
        for (uint32_t i = 0; i < v->size; i++) {
            const bool begins = v->text[i] >= '0' && v->text[i] <= '9';
            uint64_t number = 0;
            if (!begins)
                continue;
            for (; i < v->size && v->text[i] >= '0' && v->text[i] <= '9'; i++)
                number = number < UINT32_MAX ? number * 10 + (uint64_t)(v->text[i] - '0') : number;
            if (number < HANG_RANKS_MOST)
                LIST_ADD(*ranks, n, room, (uint32_t)number);
        }
    for (uint32_t i = 0; v && v->type == PLAIN_LIST && i < v->list->n; i++) {
        const int64_t number = read_plain_number(&v->list->items[i], -1);
        if (number >= 0 && number < HANG_RANKS_MOST)
            LIST_ADD(*ranks, n, room, (uint32_t)number);
    }
    return n;
}

static void add_named_group(struct dump_reading *d, const struct plain_value *name,
                            const struct plain_value *description, const struct plain_value *ranks)
{
    char own[NAME], said[NAME];
    uint32_t *numbers = NULL;
    const uint32_t n = read_ranks(ranks, &numbers);
    d->visits += n + (ranks && ranks->type == PLAIN_TEXT ? ranks->size : 0);
    copy_plain_text(name, own, sizeof own);
    copy_plain_text(description, said, sizeof said);
    const uint32_t group = hang_add_group(d->h, own, said, n ? numbers : NULL, n);
    LIST_ADD(d->groups, d->ngroups, d->groups_room, (struct named_group){name, group});
    free(numbers);
}

static void read_groups(struct dump_reading *d, const struct plain_value *root)
{
    const struct plain_value *config = plain_member(root, "pg_config");
    for (uint32_t i = 0; config && config->type == PLAIN_DICT && i + 1 < config->list->n; i += 2) {
        const struct plain_value *name = &config->list->items[i], *group = name + 1;
        if (name->type == PLAIN_TEXT)
            add_named_group(d, name, plain_member(group, "desc"), plain_member(group, "ranks"));
        d->visits += group->type == PLAIN_DICT ? group->list->n : 1;
        if (d->visits > VISITS_MAX)
            return;
    }
}

static bool same_plain_text(const struct plain_value *a, const struct plain_value *b)
{
    return a->size == b->size && (a->text == b->text || memcmp(a->text, b->text, a->size) == 0);
}

/* The group of an entry: its "process_group" is a name and a description. */
static bool find_group_of_entry(struct dump_reading *d, const struct plain_value *v, uint32_t *out)
{
    if (!is_plain_list(v) || v->list->n < 1 || v->list->items[0].type != PLAIN_TEXT)
        return false;
    const struct plain_value *name = &v->list->items[0];
    for (uint32_t i = 0; i < d->ngroups && d->visits <= VISITS_MAX; i++) {
        const uint32_t at = (d->present + i) % d->ngroups;
        d->visits += 1 + name->size / NAME;
        if (!same_plain_text(name, d->groups[at].name))
            continue;
        d->present = at;
        *out = d->groups[at].group;
        return true;
    }
    add_named_group(d, name, v->list->n > 1 ? &v->list->items[1] : NULL, NULL);
    d->present = d->ngroups - 1;
    *out = d->groups[d->present].group;
    return true;
}

/* --- what is called --- */

/* Writes sizes as Python prints them. Long ones are cut, with a hash of all. Returns the sum of the
 * elements of all tensors, 0 if the first has no dimension. */
static uint64_t write_sizes(struct dump_reading *d, const struct plain_value *v, char out[SIZES])
{
    uint64_t sum = 0, hash = 0;
    size_t n = 0;
    out[n++] = '[';
    for (uint32_t i = 0; is_plain_list(v) && i < v->list->n && d->visits <= VISITS_MAX; i++) {
        const struct plain_value *one = &v->list->items[i];
        uint64_t elements = 1;
        if (n + 4 < SIZES)
            n += (size_t)snprintf(out + n, SIZES - n, "%s[", i ? ", " : "");
        for (uint32_t k = 0; is_plain_list(one) && k < one->list->n; k++) {
            const int64_t size = read_plain_number(&one->list->items[k], 0);
            elements *= (uint64_t)size;
            hash = hash_number(hash, (uint64_t)size);
            if (n + 24 < SIZES)
                n += (size_t)snprintf(out + n, SIZES - n, "%s%" PRId64, k ? ", " : "", size);
        }
        hash = hash_number(hash, UINT64_MAX);
        if (n + 4 < SIZES)
            n += (size_t)snprintf(out + n, SIZES - n, "]");
        d->visits += 1 + (is_plain_list(one) ? one->list->n : 0);
        sum += i == 0 && (!is_plain_list(one) || one->list->n == 0) ? 0 : elements;
    }
    if (n + 26 >= SIZES)
        snprintf(out + SIZES - 26, 26, "... %016" PRIx64 "]", hash);
    else
        snprintf(out + n, SIZES - n, "]");
    return sum;
}

/* Writes the different types of a list. */
static void write_types(struct dump_reading *d, const struct plain_value *v, char out[SIZES])
{
    size_t n = 0;
    out[0] = '\0';
    for (uint32_t i = 0; is_plain_list(v) && i < v->list->n; i++) {
        char one[32];
        copy_plain_text(&v->list->items[i], one, sizeof one);
        d->visits++;
        if (!strstr(out, one) && n + sizeof one + 2 < SIZES)
            n += (size_t)snprintf(out + n, SIZES - n, "%s%s", n ? ", " : "", one);
    }
}

/* "nccl:all_reduce" without its library. */
static void write_flight_op(const struct plain_value *v, char out[NAME])
{
    copy_plain_text(v, out, NAME);
    const char *colon = strchr(out, ':');
    if (colon)
        memmove(out, colon + 1, strlen(colon + 1) + 1);
}

/* The members of an entry that are needed. */
struct entry {
    const struct plain_value *id, *group, *name, *sequence, *pair_sequence, *pair, *inputs,
        *outputs, *input_types, *output_types, *created, *started, *completed, *state, *retired,
        *timeout;
};

static const struct {
    const char *key;
    size_t at;
} entry_keys[] = {
    {"record_id", offsetof(struct entry, id)},
    {"process_group", offsetof(struct entry, group)},
    {"profiling_name", offsetof(struct entry, name)},
    {"collective_seq_id", offsetof(struct entry, sequence)},
    {"p2p_seq_id", offsetof(struct entry, pair_sequence)},
    {"is_p2p", offsetof(struct entry, pair)},
    {"input_sizes", offsetof(struct entry, inputs)},
    {"output_sizes", offsetof(struct entry, outputs)},
    {"input_dtypes", offsetof(struct entry, input_types)},
    {"output_dtypes", offsetof(struct entry, output_types)},
    {"time_created_ns", offsetof(struct entry, created)},
    {"time_discovered_started_ns", offsetof(struct entry, started)},
    {"time_discovered_completed_ns", offsetof(struct entry, completed)},
    {"state", offsetof(struct entry, state)},
    {"retired", offsetof(struct entry, retired)},
    {"timeout_ms", offsetof(struct entry, timeout)},
};

static void look_up_entry(struct dump_reading *d, const struct plain_value *v, struct entry *e)
{
    *e = (struct entry){.id = NULL};
    for (uint32_t i = 0; i + 1 < v->list->n; i += 2) {
        const struct plain_value *key = &v->list->items[i];
        d->visits++;
        for (size_t k = 0; k < sizeof entry_keys / sizeof *entry_keys; k++)
            if (key->type == PLAIN_TEXT && key->size && key->text[0] == entry_keys[k].key[0] &&
                plain_is(key, entry_keys[k].key)) {
                memcpy((char *)e + entry_keys[k].at, &(const struct plain_value *){key + 1},
                       sizeof key);
                break;
            }
    }
}

static uint32_t add_signature_of_entry(struct dump_reading *d, const struct entry *e, bool *pair)
{
    char op[NAME], inputs[SIZES], outputs[SIZES], input_types[SIZES], output_types[SIZES];
    struct hang_signature s = {.op = op,
                               .inputs = inputs,
                               .outputs = outputs,
                               .input_types = input_types,
                               .output_types = output_types};
    write_flight_op(e->name, op);
    s.in = write_sizes(d, e->inputs, inputs);
    s.out = write_sizes(d, e->outputs, outputs);
    write_types(d, e->input_types, input_types);
    write_types(d, e->output_types, output_types);
    *pair = strncmp(op, "send ", 5) == 0 || strncmp(op, "recv ", 5) == 0;
    if (e->pair)
        *pair = read_plain_number(e->pair, 0) != 0;
    return hang_add_signature(d->h, &s);
}

static enum hang_state read_state(const struct plain_value *v)
{
    if (v && plain_is(v, "completed"))
        return HANG_COMPLETED;
    return v && plain_is(v, "started") ? HANG_STARTED : HANG_SCHEDULED;
}

static void keep_newest(struct dump_reading *d, const struct plain_value *v)
{
    const uint64_t ns = read_plain_time(v);
    if (ns != HANG_NO_TIME && ns > d->rank.newest)
        d->rank.newest = ns;
}

static int read_entry(struct dump_reading *d, const struct plain_value *v)
{
    struct entry e;
    char why[96];
    uint32_t group = 0;
    if (v->type != PLAIN_DICT)
        return refuse_dump(d, "it has an entry that is no record of a collective");
    look_up_entry(d, v, &e);
    snprintf(why, sizeof why, "its entry %" PRIu32 " says no group, name or number", d->entry);
    if (!e.name || !e.sequence || !e.state || !find_group_of_entry(d, e.group, &group))
        return refuse_dump(d, why);
    struct hang_call c = {.group = group, .stack = HANG_UNKNOWN};
    const int64_t timeout = read_plain_number(e.timeout, 0);
    c.signature = add_signature_of_entry(d, &e, &c.pair);
    c.sequence = (uint64_t)read_plain_number(c.pair ? e.pair_sequence : e.sequence, 0);
    c.created = read_plain_time(e.created);
    c.timeout_ms = timeout > 0 && timeout < UINT32_MAX ? (uint32_t)timeout : 0;
    c.state = (uint8_t)read_state(e.state);
    c.retired = read_plain_number(e.retired, 0) != 0;
    if (d->rank.ncalls == 0)
        d->rank.wrapped = read_plain_number(e.id, 0) > 0;
    keep_newest(d, e.created);
    keep_newest(d, e.started);
    keep_newest(d, e.completed);
    uint32_t n = d->rank.ncalls;
    LIST_ADD(d->entries, n, d->entries_room, v);
    LIST_ADD(d->rank.calls, d->rank.ncalls, d->calls_room, c);
    return 0;
}

/* --- stacks --- */

static uint32_t read_flight_stack(struct dump_reading *d, const struct plain_value *entry)
{
    const struct plain_value *v = plain_member(entry, "frames");
    uint32_t frames[HANG_FRAMES_MOST], n = 0;
    d->visits += entry->list->n;
    const uint32_t most = is_plain_list(v) ? v->list->n : 0;
    for (uint32_t i = 0; i < most && n < HANG_FRAMES_MOST && d->visits < VISITS_MAX; i++) {
        const struct plain_value *f = &v->list->items[i];
        char function[NAME], file[2 * NAME];
        copy_plain_text(plain_member(f, "name"), function, sizeof function);
        copy_plain_text(plain_member(f, "filename"), file, sizeof file);
        const int64_t line = read_plain_number(plain_member(f, "line"), 0);
        d->visits += f->type == PLAIN_DICT ? f->list->n : 1;
        const bool fits = line > 0 && line < UINT32_MAX;
        frames[n++] =
            hang_add_frame(d->h, &(struct hang_frame){function, file, fits ? (uint32_t)line : 0});
    }
    return n ? hang_add_stack(d->h, frames, n) : HANG_UNKNOWN;
}

/* Keeps the stacks of those calls that an answer may need: in each group the first that has not
 * ended, and the last. */
static void read_stacks(struct dump_reading *d)
{
    bool *waits = xcalloc(d->h->ngroups + (size_t)1, sizeof *waits);
    uint32_t *last = xcalloc(d->h->ngroups + (size_t)1, sizeof *last);
    for (uint32_t i = 0; i < d->rank.ncalls && d->visits < VISITS_MAX; i++) {
        struct hang_call *c = &d->rank.calls[i];
        last[c->group] = i + 1;
        if (c->state == HANG_COMPLETED || waits[c->group])
            continue;
        waits[c->group] = true;
        c->stack = read_flight_stack(d, d->entries[i]);
    }
    for (uint32_t i = 0; i < d->ngroups && d->visits < VISITS_MAX; i++) {
        const uint32_t at = last[d->groups[i].group];
        if (at && d->rank.calls[at - 1].stack == HANG_UNKNOWN)
            d->rank.calls[at - 1].stack = read_flight_stack(d, d->entries[at - 1]);
    }
    free(waits);
    free(last);
}

/* --- the dump --- */

static int check_dump_version(const struct dump_reading *d, const struct plain_value *root)
{
    char version[32], why[96];
    if (root->type != PLAIN_DICT ||
        (!plain_member(root, "entries") && !plain_member(root, "pg_config")))
        return refuse_dump(d, "it has neither entries nor groups: it is no dump");
    copy_plain_text(plain_member(root, "version"), version, sizeof version);
    snprintf(why, sizeof why, "it is of version \"%s\"; rooftop knows 2.x", version);
    return strncmp(version, "2.", 2) == 0 ? 0 : refuse_dump(d, why);
}

static int check_visits(const struct dump_reading *d)
{
    return d->visits > VISITS_MAX ? refuse_dump(d, "it refers to the same values again and again")
                                  : 0;
}

static int read_dump(struct dump_reading *d, const struct plain_value *root)
{
    const struct plain_value *entries = plain_member(root, "entries");
    int rc = check_dump_version(d, root);
    if (rc == 0) {
        read_groups(d, root);
        rc = check_visits(d);
    }
    for (uint32_t i = 0; rc == 0 && is_plain_list(entries) && i < entries->list->n; i++) {
        d->entry = i;
        rc = read_entry(d, &entries->list->items[i]);
        if (rc == 0)
            rc = check_visits(d);
    }
    if (rc == 0)
        read_stacks(d);
    return rc;
}

int dump_add(struct hang *h, const struct plain_value *root, uint32_t number, uint64_t written,
             const char *path, struct error *err)
{
    struct dump_reading d = {.h = h, .path = path, .err = err};
    d.rank = (struct hang_rank){.number = number, .path = (char *)path, .written = written};
    int rc = read_dump(&d, root);
    if (rc == 0)
        rc = hang_add_rank(h, &d.rank, err);
    if (rc != 0)
        free(d.rank.calls);
    free(d.groups);
    free(d.entries);
    return rc;
}
