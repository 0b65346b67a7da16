/*
 * pprof's profile.proto (github.com/google/pprof, proto/profile.proto), packed with gzip or not.
 * Field numbers are those of that file. Its parts may come in any order and name each other by
 * numbers, so that the samples are read last.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backends/samples/pprof_wire.h"
#include "backends/samples/samples.h"
#include "base/ids.h"
#include "base/list.h"
#include "base/watch.h"

struct pprof_line {
    uint64_t function;
    uint32_t next;   /* 1 + the line of the caller into which this one was inlined; 0: none */
    uint32_t symbol; /* 1 + its symbol; 0: not asked for yet */
};
struct pprof_location {
    uint64_t mapping;
    uint32_t line, last; /* 1 + the innermost line; 0: it has no function */
    uint32_t symbol;     /* 1 + its symbol where it has no line; 0: not asked for yet */
};
struct pprof_type {
    uint64_t type, unit; /* numbers of texts */
};

struct pprof_reading {
    struct samples_text text;
    struct hot_profile *profile;
    struct pprof_bytes *texts;
    struct pprof_type *types;
    struct pprof_location *locations;
    struct pprof_line *lines;
    struct pprof_bytes *functions, *mappings; /* their messages */
    size_t ntexts, texts_cap, ntypes, types_cap, nlocations, locations_cap, nlines, lines_cap;
    size_t nfunctions, functions_cap, nmappings, mappings_cap;
    struct ids location_ids, function_ids, mapping_ids;
    struct samples_names names; /* of the types */
    const char *wanted;         /* the type that the user wants; NULL: the file's default */
    uint64_t standard;          /* the text that names the type to show; 0: the last one */
    size_t type;                /* the one that is counted */
    bool missing;               /* the file has no type with the name that is wanted */
    double scale;
    uint64_t *stack; /* location numbers, the innermost first */
    size_t nstack, stack_cap;
    int64_t value;
    const char *path, *why; /* why NULL: nothing is wrong */
    const uint8_t *at;      /* where */
};

static int refuse_pprof(const struct pprof_reading *r, struct error *err)
{
    return error_set(err, ERROR_INPUT, EINVAL, "record it again; go tool pprof -raw FILE checks it",
                     r->path, "byte %zu of its protobuf: %s",
                     (size_t)(r->at - (const uint8_t *)r->text.p), r->why);
}

static void fail_pprof(struct pprof_reading *r, const uint8_t *at, const char *why)
{
    if (r->why)
        return;
    r->why = why;
    r->at = at;
}

/* --- recognition --- */

/* Whether it is the message of a sample type: fields 1 and 2, both numbers. */
static bool is_value_type(const struct pprof_field *f)
{
    struct pprof_wire w = pprof_inside(f);
    struct pprof_field inner;
    size_t fields = 0;
    for (; pprof_next(&w, &inner); fields++)
        if ((inner.number != 1 && inner.number != 2) || inner.type != PPROF_VARINT)
            return false;
    return fields > 0 && !w.bad;
}

/* Whether the first message in it is a sample type; the time and the period may stand before it.
 * Perfetto's and XLA's protobufs begin with a field 1 too, which holds other fields. */
static bool is_pprof(const char *path, const unsigned char *head, size_t size)
{
    struct pprof_wire w = {head, head + size, NULL};
    struct pprof_field f;
    (void)path;
    while (pprof_next(&w, &f)) {
        if (f.type == PPROF_BYTES && f.number == 1)
            return is_value_type(&f);
        if (f.number < 9 || f.number > 14 || (f.number == 11 && !is_value_type(&f)))
            return false;
    }
    return false;
}

/* --- the tables --- */

static void add_pprof_line(struct pprof_reading *r, struct pprof_location *l,
                           const struct pprof_field *field)
{
    struct pprof_wire w = pprof_inside(field);
    struct pprof_field f;
    struct pprof_line line = {.function = 0};
    while (pprof_next(&w, &f))
        if (f.number == 1)
            line.function = f.value;
    if (w.bad)
        fail_pprof(r, w.bad, "a line of a location is damaged");
    LIST_ADD(r->lines, r->nlines, r->lines_cap, line);
    if (l->last)
        r->lines[l->last - 1].next = (uint32_t)r->nlines;
    else
        l->line = (uint32_t)r->nlines;
    l->last = (uint32_t)r->nlines;
}

static void add_pprof_location(struct pprof_reading *r, const struct pprof_field *field)
{
    struct pprof_wire w = pprof_inside(field);
    struct pprof_field f;
    struct pprof_location l = {.mapping = 0};
    uint64_t id = 0;
    while (pprof_next(&w, &f)) {
        if (f.number == 1)
            id = f.value;
        else if (f.number == 2)
            l.mapping = f.value;
        else if (f.number == 4 && f.type == PPROF_BYTES)
            add_pprof_line(r, &l, &f);
    }
    if (w.bad || id == 0)
        fail_pprof(r, field->at, "a location is damaged, or has no number");
    ids_set(&r->location_ids, id, (uint32_t)r->nlocations);
    LIST_ADD(r->locations, r->nlocations, r->locations_cap, l);
}

/* Keeps the message of a function or mapping by its number, which is its field 1. */
static void add_pprof_named(struct pprof_reading *r, const struct pprof_field *field,
                            struct ids *ids, struct pprof_bytes **list, size_t *n, size_t *cap)
{
    struct pprof_wire w = pprof_inside(field);
    struct pprof_field f;
    uint64_t id = 0;
    while (pprof_next(&w, &f))
        id = f.number == 1 ? f.value : id;
    if (w.bad || id == 0)
        fail_pprof(r, field->at, "a function or mapping is damaged, or has no number");
    ids_set(ids, id, (uint32_t)*n);
    LIST_ADD(*list, *n, *cap, field->bytes);
}

static void add_pprof_type(struct pprof_reading *r, const struct pprof_field *field)
{
    struct pprof_wire w = pprof_inside(field);
    struct pprof_field f;
    struct pprof_type type = {0};
    while (pprof_next(&w, &f)) {
        type.type = f.number == 1 ? f.value : type.type;
        type.unit = f.number == 2 ? f.value : type.unit;
    }
    if (w.bad)
        fail_pprof(r, w.bad, "a sample type is damaged");
    LIST_ADD(r->types, r->ntypes, r->types_cap, type);
}

static void read_pprof_table(struct pprof_reading *r, const struct pprof_field *f)
{
    if (f->number == 14)
        r->standard = f->value;
    if (f->number == 10 && f->value < INT64_MAX)
        r->profile->stacks.seconds = (double)f->value / 1e9;
    if (f->type != PPROF_BYTES)
        return;
    switch (f->number) {
    case 1:
        add_pprof_type(r, f);
        break;
    case 3:
        add_pprof_named(r, f, &r->mapping_ids, &r->mappings, &r->nmappings, &r->mappings_cap);
        break;
    case 4:
        add_pprof_location(r, f);
        break;
    case 5:
        add_pprof_named(r, f, &r->function_ids, &r->functions, &r->nfunctions, &r->functions_cap);
        break;
    case 6:
        LIST_ADD(r->texts, r->ntexts, r->texts_cap, f->bytes);
        break;
    default:
        break;
    }
}

static void walk_pprof(struct pprof_reading *r,
                       void (*take)(struct pprof_reading *r, const struct pprof_field *f))
{
    const uint8_t *text = (const uint8_t *)r->text.p;
    struct pprof_wire w = {text, text + r->text.n, NULL};
    struct pprof_field f;
    for (uint64_t i = 1; !r->why && !r->profile->full && pprof_next(&w, &f) && !watch_stops(i); i++)
        take(r, &f);
    if (w.bad)
        fail_pprof(r, w.bad, "a field is damaged, or cut off");
}

/* --- samples --- */

static struct pprof_bytes text_of_pprof(struct pprof_reading *r, uint64_t number)
{
    if (number < r->ntexts)
        return r->texts[number];
    fail_pprof(r, (const uint8_t *)r->text.p, "it names a text that it does not hold");
    return (struct pprof_bytes){.n = 0};
}

/* The text that a field of a message names: the name of a function, the file of a mapping. */
static const char *copy_field_text(struct pprof_reading *r, const struct pprof_bytes *message,
                                   uint32_t number, struct arena *memory)
{
    struct pprof_wire w = {message->p, message->p + message->n, NULL};
    struct pprof_field f;
    uint64_t text = 0;
    while (pprof_next(&w, &f))
        text = f.number == number ? f.value : text;
    const struct pprof_bytes b = text ? text_of_pprof(r, text) : (struct pprof_bytes){.n = 0};
    return b.n ? arena_strndup(memory, (const char *)b.p, b.n) : "";
}

static uint32_t find_line_symbol(struct pprof_reading *r, const struct pprof_location *l,
                                 const struct pprof_line *line)
{
    struct arena memory = {0};
    struct hot_symbol s = {.name = "", .module = "", .path = "", .file = "", .where = HOT_UNKNOWN};
    uint32_t at;
    if (l->mapping && (at = ids_get(&r->mapping_ids, l->mapping)) != IDS_NONE)
        samples_object(&s, copy_field_text(r, &r->mappings[at], 5, &memory));
    if (line && (at = ids_get(&r->function_ids, line->function)) != IDS_NONE) {
        s.name = copy_field_text(r, &r->functions[at], 2, &memory);
        s.file = copy_field_text(r, &r->functions[at], 4, &memory);
    }
    s.inlined = line && line->next != 0;
    if (s.name[0] == '\0') {
        s.name = "[unknown]";
        s.where = s.where == HOT_KERNEL ? s.where : HOT_UNKNOWN;
    } else if (s.where ==
               HOT_UNKNOWN) { /* the file has no mappings: the name is known all the same */
        s.where = HOT_USER;
    }
    const uint32_t symbol = hot_profile_symbol(r->profile, &s);
    arena_free(&memory);
    return symbol;
}

/* The symbol of a line, or of a location without lines. Its texts are read once. */
static uint32_t symbol_of_line(struct pprof_reading *r, struct pprof_location *l,
                               struct pprof_line *line)
{
    uint32_t *known = line ? &line->symbol : &l->symbol;
    if (*known == 0)
        *known = find_line_symbol(r, l, line) + 1;
    return *known - 1;
}

/* Adds the frames of a location, whose first line is the innermost, below a node. */
static int32_t add_pprof_frames(struct pprof_reading *r, struct pprof_location *l, int32_t node)
{
    enum { INLINED_MOST = 256 };
    uint32_t lines[INLINED_MOST], n = 0;
    for (uint32_t at = l->line; at && n < INLINED_MOST; at = r->lines[at - 1].next)
        lines[n++] = at;
    if (n == 0)
        return hot_profile_node(r->profile, node, symbol_of_line(r, l, NULL));
    while (n > 0)
        node = hot_profile_node(r->profile, node, symbol_of_line(r, l, &r->lines[lines[--n] - 1]));
    return node;
}

/* Adds the numbers of a field that is packed or repeated. */
static void take_pprof_number(struct pprof_reading *r, const struct pprof_field *f, size_t *nvalues)
{
    struct pprof_wire w = pprof_inside(f);
    uint64_t one = f->value;
    for (bool more = f->type == PPROF_VARINT || pprof_number(&w, &one); more;
         more = f->type == PPROF_BYTES && pprof_number(&w, &one)) {
        if (f->number == 1)
            LIST_ADD(r->stack, r->nstack, r->stack_cap, one);
        else if ((*nvalues)++ == r->type)
            r->value = (int64_t)one;
    }
    if (w.bad)
        fail_pprof(r, w.bad, "a sample is damaged");
}

static void read_pprof_sample(struct pprof_reading *r, const struct pprof_field *field)
{
    struct pprof_wire w = pprof_inside(field);
    struct pprof_field f;
    size_t nvalues = 0;
    int32_t node = -1;
    uint32_t at;
    if (field->number != 2 || field->type != PPROF_BYTES)
        return;
    r->nstack = 0;
    r->value = 0;
    while (!r->why && pprof_next(&w, &f))
        if (f.number == 1 || f.number == 2)
            take_pprof_number(r, &f, &nvalues);
    if (w.bad || nvalues != r->ntypes)
        fail_pprof(r, field->at, "a sample is damaged, or has not one value for each type");
    if (r->value < 0)
        fail_pprof(r, field->at, "a value below 0: it is the difference of two profiles");
    for (size_t i = r->nstack; !r->why && !r->profile->full && i-- > 0;) {
        at = ids_get(&r->location_ids, r->stack[i]);
        if (at != IDS_NONE)
            node = add_pprof_frames(r, &r->locations[at], node);
        else
            fail_pprof(r, field->at, "a sample names a location that is not there");
    }
    const double weight = (double)r->value * r->scale;
    if (weight > 9e18)
        fail_pprof(r, field->at, "a value that is too large");
    if (!r->why && r->value > 0)
        hot_profile_add(r->profile, node, r->scale == 1 ? (uint64_t)r->value : (uint64_t)weight);
}

/* Chooses which of the values of each sample is counted: the default that the file names, else the
 * last, as profile.proto says. */
static void choose_pprof_type(struct pprof_reading *r)
{
    struct hot_stacks *s = &r->profile->stacks;
    if (r->ntypes == 0) {
        fail_pprof(r, (const uint8_t *)r->text.p, "it has no sample type");
        return;
    }
    bool found = false;
    r->type = r->ntypes - 1;
    for (size_t i = 0; i < r->ntypes; i++) {
        const struct pprof_bytes name = text_of_pprof(r, r->types[i].type);
        const char *text = (const char *)name.p;
        samples_name_add(&r->names, text, name.n);
        if (r->wanted ? samples_name_is(text, name.n, r->wanted)
                      : r->standard && r->types[i].type == r->standard) {
            r->type = i;
            found = true;
        }
    }
    r->missing = r->wanted && !found;
    const struct pprof_bytes name = text_of_pprof(r, r->types[r->type].type),
                             unit = text_of_pprof(r, r->types[r->type].unit);
    r->scale = 1;
    s->weight = HOT_SAMPLES; /* also of units that only the file's writer knows */
    r->profile->unit_unknown = !samples_unit((const char *)unit.p, unit.n, &s->weight, &r->scale);
    s->event = hot_profile_text(r->profile, (const char *)name.p, name.n);
}

static void free_pprof(struct pprof_reading *r)
{
    free(r->text.p);
    free(r->texts);
    free(r->types);
    free(r->locations);
    free(r->lines);
    free(r->functions);
    free(r->mappings);
    free(r->stack);
    ids_free(&r->location_ids);
    ids_free(&r->function_ids);
    ids_free(&r->mapping_ids);
}

/* What the other types of the file are, for those who look for them. */
static void note_other_types(const struct pprof_reading *r, struct trace *t)
{
    if (r->ntypes > 1)
        trace_note(t, "each sample has %zu values (%s): %s is shown, --value NAME shows another",
                   r->ntypes, r->names.text, r->profile->stacks.event);
}

static int read_pprof(const char *path, struct trace *t, struct error *err)
{
    struct pprof_reading r = {
        .path = path, .profile = hot_profile_new(), .wanted = t->wanted_value};
    int rc = samples_text_read(&r.text, path, t, err);
    if (rc == 0) {
        walk_pprof(&r, read_pprof_table);
        if (!r.why)
            choose_pprof_type(&r);
        if (!r.why && !r.missing)
            walk_pprof(&r, read_pprof_sample);
        rc = watch_check(path, err);
    }
    if (rc == 0 && r.why)
        rc = refuse_pprof(&r, err);
    if (rc == 0 && r.missing)
        rc = samples_refuse_value(path, &r.names, r.wanted, err);
    if (rc == 0)
        note_other_types(&r, t);
    rc = samples_finish(r.profile, rc, path, t, err);
    free_pprof(&r);
    return rc;
}

const struct reader_ops reader_pprof = {
    .name = "pprof",
    .summary = "",
    .streams = true,
    .samples = true,
    .recognise = is_pprof,
    .read = read_pprof,
};
