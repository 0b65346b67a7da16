#include "backends/samples/samples.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int samples_lines_open(struct samples_lines *l, const char *path, struct trace *t,
                       struct error *err)
{
    *l = (struct samples_lines){.path = path, .err = err};
    return l->rc = trace_json_open(&l->in, path, t, err);
}

void samples_lines_close(struct samples_lines *l)
{
    trace_json_close(&l->in);
    free(l->line);
    l->line = NULL;
}

int samples_lines_refuse(struct samples_lines *l, const char *help, const char *why)
{
    if (l->rc == 0)
        l->rc = error_set(l->err, ERROR_INPUT, EINVAL, help, l->path, "line %llu: %s",
                          (unsigned long long)l->number, why);
    return l->rc;
}

static int samples_cut(const char *path, struct error *err)
{
    return error_set(err, ERROR_INPUT, EINVAL, "check it with gzip -t", path,
                     "it is packed with gzip, and cut off");
}

static void append_to_line(struct samples_lines *l, const char *p, size_t n)
{
    if (l->n + n + 1 > l->cap) {
        l->cap = 2 * (l->n + n + 1);
        l->line = xrealloc(l->line, l->cap, 1);
    }
    memcpy(l->line + l->n, p, n);
    l->n += n;
    l->line[l->n] = '\0';
}

bool samples_lines_next(struct samples_lines *l)
{
    struct json_input *in = &l->in.text;
    bool any = false;
    l->n = 0;
    l->number++;
    append_to_line(l, "", 0);
    while (l->rc == 0 && (in->p < in->end || json_input_more(in))) {
        const char *stop = memchr(in->p, '\n', (size_t)(in->end - in->p));
        const size_t n = (size_t)((stop ? stop : in->end) - in->p);
        any = true;
        if (l->n + n > SAMPLES_LINE_MOST)
            return samples_lines_refuse(l, NULL, "it is longer than 4 MiB") == 0;
        append_to_line(l, in->p, n);
        in->p += n + (stop != NULL);
        if (stop)
            break;
    }
    if (l->rc == 0)
        l->rc = in->rc;
    /* The last line before a cut may have lost digits. */
    if (l->rc == 0 && l->in.cut && in->p == in->end)
        l->rc = samples_cut(l->path, l->err);
    if (l->n > 0 && l->line[l->n - 1] == '\r')
        l->line[--l->n] = '\0';
    return l->rc == 0 && any;
}

int samples_text_read(struct samples_text *out, const char *path, struct trace *t,
                      struct error *err)
{
    struct trace_json in;
    /* Two bytes of text become a number of 8 bytes at least, in a list that doubles as it grows. */
    enum { TEXT_SHARE = 16 };
    const uint64_t share = memory_limit() / TEXT_SHARE,
                   most = share < SIZE_MAX / 4 ? share : SIZE_MAX / 4;
    size_t cap = 64 << 10;
    *out = (struct samples_text){.p = xcalloc(1, cap)};
    int rc = trace_json_open(&in, path, t, err);
    while (rc == 0 && json_input_more(&in.text)) {
        const size_t n = (size_t)(in.text.end - in.text.p);
        if (out->n + n + 1 > most)
            rc =
                error_set(err, ERROR_INPUT, EFBIG, "--max-memory, or a shorter recording", path,
                          "its text needs more than %llu MB", (unsigned long long)(most / 1000000));
        if (rc == 0 && out->n + n + 1 > cap) {
            cap = 2 * (out->n + n + 1);
            out->p = xrealloc(out->p, cap, 1);
        }
        if (rc == 0) {
            memcpy(out->p + out->n, in.text.p, n);
            out->n += n;
            out->p[out->n] = '\0';
        }
        in.text.p = in.text.end;
    }
    if (rc == 0)
        rc = in.text.rc;
    if (rc == 0 && in.cut)
        rc = samples_cut(path, err);
    trace_json_close(&in);
    return rc;
}

int samples_finish(struct hot_profile *p, int rc, const char *path, struct trace *t,
                   struct error *err)
{
    if (rc == 0 && p->stacks.samples == 0 && !p->full)
        rc = error_set(err, ERROR_INPUT, ENODATA, "record again, for longer", path,
                       "it holds no samples");
    if (rc == 0)
        rc = hot_profile_end(p, path, err);
    if (rc == 0 && t->samples)
        trace_note(t, "functions are those of the first file; %s is left out", path);
    if (rc != 0 || t->samples) {
        hot_profile_free(p);
        return rc;
    }
    if (p->left_out)
        trace_note(t, "%llu samples are of other events or units than %s, and left out",
                   (unsigned long long)p->left_out, p->stacks.event);
    t->samples = p;
    return 0;
}

void samples_name_add(struct samples_names *names, const char *name, size_t n)
{
    const size_t used = strlen(names->text), room = sizeof names->text - used;
    for (const char *at = names->text; *at; at += strspn(at, ", ")) {
        const size_t word = strcspn(at, ",");
        if (word == n && memcmp(at, name, n) == 0)
            return;
        at += word;
    }
    if (n > 0 && n + 3 < room)
        snprintf(names->text + used, room, "%s%.*s", used ? ", " : "", (int)n, name);
}

bool samples_name_is(const char *name, size_t n, const char *wanted)
{
    const size_t m = strlen(wanted);
    return m > 0 && n >= m && memcmp(name, wanted, m) == 0 && (n == m || name[m] == ':');
}

int samples_refuse_value(const char *path, const struct samples_names *names, const char *wanted,
                         struct error *err)
{
    return error_set(err, ERROR_USAGE, EINVAL, "one of those, or no --value", path,
                     "it has no samples of '%s', but of %s", wanted, names->text);
}

bool samples_unit(const char *unit, size_t n, uint8_t *weight, double *scale)
{
    static const struct unit_row {
        const char *name;
        uint8_t weight;
        double scale;
    } units[] = {
        {"none", HOT_SAMPLES, 1},
        {"count", HOT_SAMPLES, 1},
        {"samples", HOT_SAMPLES, 1},
        {"objects", HOT_SAMPLES, 1},
        {"nanoseconds", HOT_CPU_TIME, 1},
        {"microseconds", HOT_CPU_TIME, 1e3},
        {"milliseconds", HOT_CPU_TIME, 1e6},
        {"seconds", HOT_CPU_TIME, 1e9},
        {"bytes", HOT_BYTES, 1},
        {"kilobytes", HOT_BYTES, 1024},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == n && memcmp(units[i].name, unit, n) == 0) {
            *weight = units[i].weight;
            *scale = units[i].scale;
            return true;
        }
    return false;
}

bool samples_weight(double value, uint8_t weight, uint64_t *out)
{
    if (!(value >= 0) || value > 9e15 || (weight == HOT_SAMPLES && floor(value) != value))
        return false;
    *out = (uint64_t)llround(value);
    return true;
}

const char *samples_module(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static bool ends_in(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

void samples_object(struct hot_symbol *s, const char *object)
{
    const char *module = samples_module(object);
    s->path = object[0] == '/' ? object : "";
    s->module = module;
    s->where = HOT_USER;
    if (strncmp(object, "[kernel", 7) == 0 || strncmp(object, "[guest.kernel", 13) == 0 ||
        strcmp(module, "vmlinux") == 0) {
        s->where = HOT_KERNEL;
        s->module = "[kernel]";
    } else if (ends_in(module, ".ko") || (module[0] == '[' && ends_in(object, ".ko]"))) {
        s->where = HOT_KERNEL;
    } else if (strncmp(module, "[vdso", 5) == 0) {
        s->where = HOT_VDSO;
    } else if (strncmp(module, "perf-", 5) == 0 && ends_in(module, ".map")) {
        s->where = HOT_JIT;
        s->module = "[jit]";
    }
}
