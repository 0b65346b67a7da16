#include "cli/run/run_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/version.h"
#include "engine/functions/hot_sum.h"
#include "engine/session/session.h"
#include "engine/value/document.h"
#include "export/live/export_csv.h"
#include "export/stacks/export_folded.h"
#include "export/live/export_json.h"
#include "export/live/export_openmetrics.h"
#include "export/stacks/export_pprof.h"
#include "export/stacks/export_speedscope.h"
#include "export/live/replay_export.h"
#include "export/live/run_json.h"
#include "export/live/syscalls_snapshot_export.h"
#include "tui/canvas/render.h"

static const char *const format_names[] = {
    [FRAME_TEXT] = "text",     [FRAME_JSON] = "json",
    [FRAME_JSONL] = "jsonl",   [FRAME_CSV] = "csv",
    [FRAME_ANSI] = "ansi",     [FRAME_SVG] = "svg",
    [FRAME_FOLDED] = "folded", [FRAME_SPEEDSCOPE] = "speedscope",
    [FRAME_PPROF] = "pprof",   [FRAME_OPENMETRICS] = "openmetrics",
};

enum frame_format frame_format_of(const char *name)
{
    for (size_t i = 0; name && i < sizeof format_names / sizeof *format_names; i++)
        if (strcmp(format_names[i], name) == 0)
            return (enum frame_format)i;
    return FRAME_TEXT;
}

bool frame_is_stream(enum frame_format f)
{
    return f == FRAME_JSONL || f == FRAME_CSV || f == FRAME_SESSION;
}

bool frame_is_stacks(enum frame_format f)
{
    return f == FRAME_FOLDED || f == FRAME_SPEEDSCOPE || f == FRAME_PPROF;
}

/* Leaves out what is listed one by one: it is asked for by who needs the host's sums only. */
static void leave_parts_out(cJSON *o)
{
    static const char *const lists[] = {"processes", "threads", "cpus", "counters", "metrics"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        cJSON_ReplaceItemInObjectCaseSensitive(o, lists[i], cJSON_CreateArray());
}

static void write_frame_json(struct frames *f, const struct snapshot *s, FILE *out)
{
    bool line = f->format == FRAME_JSONL || f->several;
    const struct replay_list *replays = screen_replay_list(f->screen);
    cJSON *o = export_json(s, ROOFTOP_VERSION);
    if (f->options->only && strcmp(f->options->only, "host") == 0)
        leave_parts_out(o);
    if (f->runs) {
        cJSON *list = cJSON_AddArrayToObject(o, "runs");
        for (size_t i = 0; i < f->runs->n; i++)
            cJSON_AddItemToArray(list, run_json(&f->runs->list[i]));
    }
    if (replays)
        cJSON_AddItemToObject(o, "replays", replay_list_json(replays));
    if (screen_syscalls(f->screen))
        cJSON_AddItemToObject(o, "syscalls", syscalls_snapshot_json(screen_syscalls(f->screen)));
    if (f->several && f->format == FRAME_JSON)
        fputs(f->written ? ",\n" : "{\"schema\":\"" EXPORT_JSON_SCHEMA "\",\"frames\":[\n", out);
    json_write(out, o, !line);
    cJSON_Delete(o);
    if (!f->several || f->format == FRAME_JSONL) /* in an array the separator follows */
        fputc('\n', out);
}

static int write_frame_picture(struct frames *f, const struct snapshot *s, FILE *out)
{
    struct screen *sc = f->screen;
    app_update(sc->app, s);
    app_draw(sc->app, &sc->canvas);
    if (f->format == FRAME_SVG)
        return render_svg(out, &sc->canvas, sc->theme);
    if (f->written)
        fputc('\n', out);
    if (f->format == FRAME_ANSI)
        return render_ansi(out, &sc->canvas, sc->theme, f->depth);
    return render_text(out, &sc->canvas);
}

/* Adds the stacks of s to the sum. Returns true for the last snapshot, when the sum is to be
 * written. */
static bool sum_stacks(struct frames *f, const struct snapshot *s, bool last)
{
    if (f->whole)
        return last;
    if (!f->stacks) {
        f->stacks = hot_sum_new(0);
        hot_sum_set_window(f->stacks, 0);
    }
    if (s->stacks)
        hot_sum_add(f->stacks, s->stacks, s->time_ns);
    return last;
}

static int write_stacks(struct frames *f, FILE *out)
{
    const struct hot_stacks *p = f->whole ? f->whole : hot_sum_view(f->stacks);
    if (p && f->format == FRAME_SPEEDSCOPE)
        export_speedscope(out, p);
    else if (p && f->format == FRAME_PPROF)
        export_pprof(out, p);
    else if (p)
        export_folded(out, p);
    return p ? 0 : -ENODATA;
}

/* Whether nothing is written for s: another frame has it, or shows it. */
static bool skips_frame(struct frames *f, const struct snapshot *s, bool last)
{
    /* a document of OpenMetrics has an end, so standard output gets one */
    const bool one = f->format == FRAME_OPENMETRICS && !f->out->owned;
    if (frame_is_stacks(f->format))
        return !sum_stacks(f, s, last);
    if (last)
        return false;
    if (f->format == FRAME_SVG) /* one picture: earlier samples appear in its graphs */
        app_update(f->screen->app, s);
    return one || f->format == FRAME_SVG || f->format == FRAME_BRIEF;
}

static void write_frame_csv(struct frames *f, const struct snapshot *s, FILE *out)
{
    char time[40];
    if (!f->written && f->out->fresh)
        export_csv_header(out);
    export_csv(out, s);
    if (screen_replay_list(f->screen))
        replay_list_csv(out, screen_replay_list(f->screen), utc_text(s->wall_ns, time));
    if (screen_syscalls(f->screen))
        syscalls_snapshot_csv(out, screen_syscalls(f->screen), utc_text(s->wall_ns, time));
}

static int write_frame(struct frames *f, const struct snapshot *s, FILE *out)
{
    switch (f->format) {
    case FRAME_CSV:
        write_frame_csv(f, s, out);
        return 0;
    case FRAME_JSON:
    case FRAME_JSONL:
        write_frame_json(f, s, out);
        return 0;
    case FRAME_OPENMETRICS:
        export_openmetrics(out, s, ROOFTOP_VERSION);
        return 0;
    case FRAME_BRIEF:
        headless_brief(out, f, s, f->options);
        return 0;
    default:
        return frame_is_stacks(f->format) ? write_stacks(f, out) : write_frame_picture(f, s, out);
    }
}

int frames_write(struct frames *f, const struct snapshot *s, bool last, struct error *err)
{
    if (skips_frame(f, s, last)) {
        f->written++;
        return 0;
    }
    if (f->session) {
        f->written++;
        return session_write(f->session, s, err);
    }
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    int rc = out ? write_frame(f, s, out) : -errno;
    if (out && fclose(out) != 0 && rc == 0)
        rc = -errno;
    if (rc == -ENODATA)
        error_set(err, ERROR_UNSUPPORTED, ENODATA, "rooftop doctor", "fold the call stacks",
                  "nothing could be sampled");
    else if (rc != 0)
        error_set(err, ERROR_INTERNAL, -rc, NULL, "format the snapshot", "%s", strerror(-rc));
    else if (f->format == FRAME_OPENMETRICS)
        rc = output_replace(f->out, text, len, err);
    else
        rc = output_write(f->out, text, len, err);
    free(text);
    f->written++;
    return rc;
}

int frames_end(struct frames *f, struct error *err)
{
    if (f->format != FRAME_JSON || !f->several || !f->written)
        return 0;
    return output_write(f->out, "\n]}\n", 4, err);
}
