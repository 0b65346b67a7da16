/* Reads filenames.json, the list of waves, and the file of each wave: what it did, and when. */
#include <stdlib.h>
#include <string.h>

#include "backends/att/att_impl.h"

enum { KEY = 32 };

/* --- filenames.json --- */

/* Parses a key that is a number: "0". */
static uint32_t key_number(struct json *j, const char *key, const char *what)
{
    char *end;
    unsigned long v = strtoul(key, &end, 10);
    if (!*key || *end || *key == '-' || v >= UINT32_MAX)
        json_fail(j, json_at(j), "\"%.40s\" should be the number of a %s", key, what);
    return (uint32_t)v;
}

/* Reads a file name, which must not lead out of the folder. */
static const char *read_wave_file_name(struct att *a, struct json *j)
{
    size_t at = json_at(j);
    const char *name = json_text(j, "a file's name", &a->memory);
    if (j->rc == 0 && (!*name || strchr(name, '/') || strcmp(name, "..") == 0))
        json_fail(j, at, "\"%.60s\" is no name of a file in this folder", name);
    return name;
}

/* Reads [file, begin, end]. */
static void read_wave_entry(struct att *a, struct json *j, struct att_wave w, uint32_t *left_out)
{
    size_t at = json_at(j);
    if (json_type(j) != '[')
        json_fail(j, json_at(j), "a wave should be [file, begin, end]");
    if (!json_array(j) || !json_column(j, "file"))
        return;
    w.file = read_wave_file_name(a, j);
    if (json_column(j, "begin"))
        w.begin = json_i64(j, "begin");
    if (json_column(j, "end"))
        w.end = json_i64(j, "end");
    if (w.end < w.begin)
        json_fail(j, at, "a wave that ends before it begins");
    json_leave(j);
    if (j->rc != 0)
        return;
    if (a->nwaves == ATT_WAVES_MAX) {
        (*left_out)++;
        return;
    }
    a->waves = att_grow(a->waves, a->nwaves, sizeof *a->waves);
    a->waves[a->nwaves++] = w;
}

/* Reads {SE: {SIMD: {slot: {number: entry}}}}. */
static void read_wave_names(struct att *a, struct json *j)
{
    struct att_wave w = {.cu = ATT_UNKNOWN};
    uint32_t left_out = 0;
    char key[KEY];
    if (!json_object(j))
        return;
    while (json_key(j, key, sizeof key)) {
        w.se = key_number(j, key, "shader engine");
        for (bool simds = json_object(j); simds && json_key(j, key, sizeof key);) {
            w.simd = key_number(j, key, "SIMD");
            for (bool slots = json_object(j); slots && json_key(j, key, sizeof key);) {
                w.slot = key_number(j, key, "slot");
                for (bool waves = json_object(j); waves && json_key(j, key, sizeof key);) {
                    w.id = key_number(j, key, "wave");
                    read_wave_entry(a, j, w, &left_out);
                }
            }
        }
    }
    if (left_out)
        att_note(a, "%s: %u waves beyond the first %d were left out", j->file, left_out,
                 ATT_WAVES_MAX);
}

static void read_counter_names(struct att *a, struct json *j)
{
    if (!json_array(j))
        return;
    while (json_item(j)) {
        const char *name = json_text(j, "a counter's name", &a->memory);
        if (a->ncounters == 1024)
            continue;
        a->counters = att_grow(a->counters, a->ncounters, sizeof *a->counters);
        a->counters[a->ncounters++] = name;
    }
}

static void read_gfx(struct att *a, struct json *j)
{
    if (json_type(j) != '0') {
        json_skip(j);
        return;
    }
    uint32_t v = json_u32(j, "gfxip");
    a->gfx = v >= 100 ? v / 100 : v; /* 9, or 942 */
}

static void read_flag(struct att *a, struct json *j)
{
    a->untraced = json_type(j) == 'f';
    json_skip(j);
}

/* Notes files that exist but are not read. */
static void note_unread(struct att *a, struct json *j, const char *what)
{
    size_t at = json_at(j);
    json_skip(j);
    if (j->rc == 0 && memchr(j->in.text + at, '"', (size_t)(j->in.p - j->in.text) - at))
        att_note(a, "%s are not read", what);
}

int att_parse_filenames(struct att *a, struct json *j)
{
    char key[KEY];
    for (bool any = json_object(j); any && json_key(j, key, sizeof key);) {
        if (strcmp(key, "gfxip") == 0)
            read_gfx(a, j);
        else if (strcmp(key, "gfxv") == 0)
            a->gfxv = json_text(j, "gfxv", &a->memory);
        else if (strcmp(key, "thread_trace") == 0)
            read_flag(a, j);
        else if (strcmp(key, "counter_names") == 0)
            read_counter_names(a, j);
        else if (strcmp(key, "wave_filenames") == 0)
            read_wave_names(a, j);
        else if (strcmp(key, "other_simd_filenames") == 0)
            note_unread(a, j, "instructions of the other SIMDs");
        else if (strcmp(key, "shaderdata_filenames") == 0)
            note_unread(a, j, "data that shaders sent");
        else
            json_skip(j);
    }
    json_end(j);
    return j->rc;
}

/* --- a wave --- */

/* Reads [time, category, stall, duration, line]. */
static void read_instruction(struct att *a, struct json *j)
{
    struct att_instruction in = {0};
    uint64_t category = 0;
    if (json_type(j) != '[')
        json_fail(j, json_at(j), "an instruction should be an array");
    if (!json_array(j))
        return;
    if (json_column(j, "time"))
        in.time = json_i64(j, "time");
    if (json_column(j, "category"))
        category = json_u64(j, "category");
    if (json_column(j, "stall"))
        in.stall = json_u32(j, "stall");
    if (json_column(j, "duration"))
        in.duration = json_u32(j, "duration");
    if (json_column(j, "line"))
        in.line = json_u32(j, "line");
    json_leave(j);
    if (j->rc != 0)
        return;
    in.category = category <= ATT_BVH ? (uint8_t)category : ATT_OTHER;
    a->instructions = att_grow(a->instructions, a->ninstructions, sizeof *a->instructions);
    a->instructions[a->ninstructions++] = in;
}

/* Reads [state, duration]. */
static void read_period(struct att *a, struct json *j, uint64_t *total)
{
    uint64_t state = 0, duration = 0;
    if (json_type(j) != '[')
        json_fail(j, json_at(j), "a state should be an array");
    if (!json_array(j))
        return;
    if (json_column(j, "state"))
        state = json_u64(j, "state");
    if (json_column(j, "duration"))
        duration = json_u64(j, "duration");
    *total += duration;
    if (*total > (uint64_t)JSON_INTEGER_MAX)
        json_fail(j, json_at(j), "states that last longer than can be");
    json_leave(j);
    if (j->rc != 0 || duration == 0)
        return;
    a->periods = att_grow(a->periods, a->nperiods, sizeof *a->periods);
    a->periods[a->nperiods++] = (struct att_period){
        duration, state < ATT_STATE_OTHER ? (uint8_t)state : (uint8_t)ATT_STATE_OTHER};
}

/* Reads [line, [[line waited for, 0], …]]. Waits of one wave also hold for others with the same
 * code. */
static void read_wait(struct att *a, struct json *j)
{
    struct att_wait w = {0};
    if (json_type(j) != '[')
        json_fail(j, json_at(j), "a wait should be an array");
    if (!json_array(j))
        return;
    if (json_column(j, "line"))
        w.line = json_u32(j, "line");
    if (json_column(j, "waited for") && json_array(j))
        while (json_item(j)) {
            if (json_type(j) != '[')
                json_fail(j, json_at(j), "a wait should be an array");
            if (json_array(j) && json_column(j, "line"))
                w.on = json_u32(j, "line");
            json_leave(j);
            if (j->rc != 0 || (a->nwaits && a->waits[a->nwaits - 1].line == w.line &&
                               a->waits[a->nwaits - 1].on == w.on))
                continue;
            a->waits = att_grow(a->waits, a->nwaits, sizeof *a->waits);
            a->waits[a->nwaits++] = w;
        }
    json_leave(j);
}

static void read_wave_body(struct att *a, struct json *j, struct att_wave *w)
{
    char key[KEY];
    uint64_t total = 0;
    while (json_key(j, key, sizeof key)) {
        if (strcmp(key, "cu") == 0)
            w->cu = json_u32(j, "cu");
        else if (strcmp(key, "begin") == 0)
            w->begin = json_i64(j, "begin");
        else if (strcmp(key, "end") == 0)
            w->end = json_i64(j, "end");
        else if (strcmp(key, "instructions") == 0)
            for (bool any = json_array(j); any && json_item(j);)
                read_instruction(a, j);
        else if (strcmp(key, "timeline") == 0)
            for (bool any = json_array(j); any && json_item(j);)
                read_period(a, j, &total);
        else if (strcmp(key, "waitcnt") == 0)
            for (bool any = json_array(j); any && json_item(j);)
                read_wait(a, j);
        else
            json_skip(j);
    }
}

int att_parse_wave(struct att *a, struct json *j, uint32_t wave)
{
    char key[KEY];
    struct att_wave *w = &a->waves[wave];
    bool found = false;
    w->first_instruction = a->ninstructions;
    w->first_period = a->nperiods;
    for (bool any = json_object(j); any && json_key(j, key, sizeof key);)
        if (strcmp(key, "wave") == 0 && !found && json_object(j)) {
            found = true;
            read_wave_body(a, j, w);
        } else {
            json_skip(j);
        }
    json_end(j);
    if (!found)
        json_fail(j, 0, "there is no wave in it");
    if (w->end < w->begin)
        json_fail(j, 0, "a wave that ends before it begins");
    w->ninstructions = a->ninstructions - w->first_instruction;
    w->nperiods = a->nperiods - w->first_period;
    w->read = j->rc == 0;
    a->waves_read += w->read;
    return j->rc;
}
