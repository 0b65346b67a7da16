/*
 * Speedscope's file format (speedscope.app/file-format-schema.json): shared.frames, and profiles of
 * two types. "sampled" has stacks, the outermost caller first, and a weight each; "evented" opens
 * and closes frames at times. All profiles of the first one's unit are added: they are threads.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/samples/samples.h"
#include "base/list.h"
#include "json/json.h"
#include "json/look.h"

enum { UNIT = 32, DEEPEST = 64 << 10 };

struct speedscope_sample {
    int32_t node;
    double weight;
};

struct speedscope_reading {
    struct json json;
    struct hot_profile *profile;
    uint32_t *symbols; /* of shared.frames */
    size_t nsymbols, symbols_cap;
    /* of the profile that is read: */
    struct speedscope_sample *samples;
    size_t nsamples, samples_cap, nweights;
    int32_t *open; /* evented: nodes of the open frames */
    size_t nopen, open_cap;
    double at;
    char unit[UNIT];
    bool any;
};

static bool is_speedscope(const char *path, const unsigned char *head, size_t size)
{
    static const char schema[] = "https://www.speedscope.app/";
    (void)path;
    return json_look_member((const char *)head, size, "$schema", schema) == JSON_LOOK_YES;
}

static void read_speedscope_frame(struct speedscope_reading *r)
{
    struct json *j = &r->json;
    struct arena memory = {0};
    struct hot_symbol s = {.name = "", .module = "", .path = "", .file = ""};
    char key[16];
    if (json_object(j))
        while (json_key(j, key, sizeof key)) {
            if (strcmp(key, "name") == 0)
                s.name = json_text(j, "name", &memory);
            else if (strcmp(key, "file") == 0)
                s.file = json_text(j, "file", &memory);
            else
                json_skip(j);
        }
    LIST_ADD(r->symbols, r->nsymbols, r->symbols_cap, hot_profile_symbol(r->profile, &s));
    arena_free(&memory);
}

static void read_speedscope_shared(struct speedscope_reading *r)
{
    char key[16];
    if (json_object(&r->json))
        while (json_key(&r->json, key, sizeof key)) {
            if (strcmp(key, "frames") != 0)
                json_skip(&r->json);
            else if (json_array(&r->json))
                while (json_item(&r->json))
                    read_speedscope_frame(r);
        }
}

/* The node of a frame below another one; -1 after an error. */
static int32_t read_speedscope_node(struct speedscope_reading *r, int32_t parent)
{
    const size_t at = json_at(&r->json);
    const uint64_t frame = json_u64(&r->json, "frame");
    if (r->json.rc == 0 && frame >= r->nsymbols)
        json_fail(&r->json, at, "frame %llu is not one of the %zu in shared.frames",
                  (unsigned long long)frame, r->nsymbols);
    return r->json.rc == 0 ? hot_profile_node(r->profile, parent, r->symbols[frame]) : -1;
}

static void read_speedscope_stacks(struct speedscope_reading *r)
{
    struct json *j = &r->json;
    if (!json_array(j))
        return;
    while (json_item(j)) {
        int32_t node = -1;
        if (json_array(j))
            while (json_item(j))
                node = read_speedscope_node(r, node);
        LIST_ADD(r->samples, r->nsamples, r->samples_cap, (struct speedscope_sample){node, 1});
    }
}

/* The weights may come before the samples: they are kept in the order that they have. */
static void read_speedscope_weights(struct speedscope_reading *r, double **weights, size_t *cap)
{
    if (json_array(&r->json))
        while (json_item(&r->json))
            LIST_ADD(*weights, r->nweights, *cap, json_double(&r->json, "weights"));
}

/* Gives the time since the last event to the innermost frame, then opens or closes a frame. */
static bool move_speedscope_frame(struct speedscope_reading *r, const char *type, uint32_t frame,
                                  double at)
{
    const int32_t top = r->nopen ? r->open[r->nopen - 1] : -1;
    if (top >= 0)
        LIST_ADD(r->samples, r->nsamples, r->samples_cap,
                 (struct speedscope_sample){top, at - r->at});
    r->at = at;
    if (strcmp(type, "O") == 0 && r->nopen < DEEPEST) {
        LIST_ADD(r->open, r->nopen, r->open_cap,
                 hot_profile_node(r->profile, top, r->symbols[frame]));
        return true;
    }
    if (strcmp(type, "C") != 0 || top < 0 || r->profile->nodes[top].symbol != r->symbols[frame])
        return false;
    r->nopen--;
    return true;
}

static void read_speedscope_event(struct speedscope_reading *r)
{
    struct json *j = &r->json;
    const size_t where = json_at(j);
    char key[16], type[8] = "";
    double at = NAN;
    uint64_t frame = UINT64_MAX;
    if (json_object(j))
        while (json_key(j, key, sizeof key)) {
            if (strcmp(key, "type") == 0)
                json_copy(j, "type", type, sizeof type);
            else if (strcmp(key, "at") == 0)
                at = json_double(j, "at");
            else if (strcmp(key, "frame") == 0)
                frame = json_u64(j, "frame");
            else
                json_skip(j);
        }
    if (j->rc != 0)
        return;
    if (isnan(at) || (r->nsamples && at < r->at) || frame >= r->nsymbols) {
        json_fail(j, where, "an event without a frame, or earlier than the one before");
        return;
    }
    if (!move_speedscope_frame(r, type, (uint32_t)frame, at))
        json_fail(j, where,
                  "an event that opens too many frames, or closes one that is not the "
                  "innermost");
}

static void read_speedscope_events(struct speedscope_reading *r)
{
    r->nopen = 0;
    if (json_array(&r->json))
        while (json_item(&r->json))
            read_speedscope_event(r);
}

/* Adds the samples of a profile, whose unit is known now. */
static void add_speedscope_samples(struct speedscope_reading *r, size_t where)
{
    struct hot_stacks *stacks = &r->profile->stacks;
    uint8_t weight = HOT_SAMPLES;
    double scale = 1;
    if (!samples_unit(r->unit, strlen(r->unit), &weight, &scale))
        json_fail(&r->json, where, "the unit of this profile is not known");
    if (!r->any) {
        r->any = true;
        stacks->weight = weight;
        stacks->event = weight == HOT_SAMPLES ? "samples" : "speedscope";
    }
    if (stacks->weight != weight) {
        r->profile->left_out += r->nsamples;
        return;
    }
    for (size_t i = 0; i < r->nsamples && r->json.rc == 0; i++) {
        const double value = r->samples[i].weight * scale;
        uint64_t whole;
        if (!samples_weight(value, weight, &whole))
            json_fail(&r->json, where, "the weight of sample %zu of this profile is %g", i, value);
        else
            hot_profile_add(r->profile, r->samples[i].node, whole);
    }
}

static void read_speedscope_profile(struct speedscope_reading *r)
{
    struct json *j = &r->json;
    const size_t where = json_at(j);
    char key[16];
    double *weights = NULL;
    size_t cap = 0;
    r->nsamples = r->nweights = 0;
    snprintf(r->unit, UNIT, "none");
    if (json_object(j))
        while (json_key(j, key, sizeof key)) {
            if (strcmp(key, "unit") == 0)
                json_copy(j, "unit", r->unit, UNIT);
            else if (strcmp(key, "samples") == 0)
                read_speedscope_stacks(r);
            else if (strcmp(key, "weights") == 0)
                read_speedscope_weights(r, &weights, &cap);
            else if (strcmp(key, "events") == 0)
                read_speedscope_events(r);
            else
                json_skip(j);
        }
    if (weights && r->nweights != r->nsamples)
        json_fail(j, where, "this profile has %zu samples and %zu weights", r->nsamples,
                  r->nweights);
    for (size_t i = 0; weights && j->rc == 0 && i < r->nsamples; i++)
        r->samples[i].weight = weights[i];
    free(weights);
    if (j->rc == 0)
        add_speedscope_samples(r, where);
}

static void read_speedscope_profiles(struct speedscope_reading *r)
{
    if (json_array(&r->json))
        while (json_item(&r->json))
            read_speedscope_profile(r);
}

/* Reads the members of the document of this name: shared first, wherever it is. */
static int read_speedscope_part(struct speedscope_reading *r, const struct samples_text *text,
                                const char *path, bool shared, struct error *err)
{
    struct json *j = &r->json;
    char key[16];
    json_open(j, path, text->p, text->n, err);
    if (json_object(j))
        while (json_key(j, key, sizeof key)) {
            if (shared && strcmp(key, "shared") == 0)
                read_speedscope_shared(r);
            else if (!shared && strcmp(key, "profiles") == 0)
                read_speedscope_profiles(r);
            else
                json_skip(j);
        }
    json_end(j);
    json_close(j);
    return j->rc;
}

static int read_speedscope(const char *path, struct trace *t, struct error *err)
{
    struct speedscope_reading r = {.profile = hot_profile_new()};
    struct samples_text text;
    int rc = samples_text_read(&text, path, t, err);
    if (rc == 0)
        rc = read_speedscope_part(&r, &text, path, true, err);
    if (rc == 0)
        rc = read_speedscope_part(&r, &text, path, false, err);
    free(text.p);
    free(r.symbols);
    free(r.samples);
    free(r.open);
    return samples_finish(r.profile, rc, path, t, err);
}

const struct reader_ops reader_speedscope = {
    .name = "speedscope",
    .summary = "",
    .streams = true,
    .samples = true,
    .recognise = is_speedscope,
    .read = read_speedscope,
};
