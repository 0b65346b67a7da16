#include "cli/run/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/options/exit.h"
#include "cli/run/nearby.h"
#include "engine/functions/hot_profile.h"
#include "cli/run/progress_note.h"
#include "engine/session/session.h"

enum { BAR_MOST = 40, BAR_LEAST = 10, LARGE = 256 << 20, VERY_LARGE = 1 << 30 };

struct read_progress {
    const struct trace *trace;
    struct progress_note note;
    bool warned;
};

/* The end of a path, which says most about it. */
static const char *path_tail(const char *path, int room)
{
    const char *slash = strrchr(path, '/');
    return text_tail_cells(slash && slash[1] ? slash + 1 : path, room > 0 ? room : 0);
}

void progress_line(char *out, size_t size, int width, const char *path, const char *doing,
                   double share)
{
    if (share < 0 || share > 1)
        share = share < 0 ? 0 : 1;
    int percent = (int)(100 * share);
    int rest = width - (int)strlen(doing) - (int)sizeof "  100 %" - 6;
    const char *name = path_tail(path, rest - BAR_LEAST);
    int bar = rest - text_width(name);
    bar = bar > BAR_MOST ? BAR_MOST : bar;
    if (bar < BAR_LEAST) {
        print_line(out, size, "%.*s %d %%", width > 6 ? width - 6 : 0, doing, percent);
        return;
    }
    int full = bar * percent / 100;
    print_line(out, size, "%s  %s  [%.*s%*s]  %d %%", name, doing, full,
               "========================================", bar - full, "", percent);
}

void progress_doing(char *out, size_t size, const struct trace *t, uint64_t done, uint64_t total)
{
    uint64_t spans, bytes;
    char memory[VALUE_TEXT_MAX];
    if (trace_estimate(t, done, total, &spans, &bytes) && bytes >= LARGE)
        snprintf(out, size, "%s ~%.1f M spans, %s", trace_phase_name(t->phase), (double)spans / 1e6,
                 value_text((double)bytes, UNIT_BYTES, true, memory));
    else
        snprintf(out, size, "%s", trace_phase_name(t->phase));
}

/* Prints, once, a warning if no bar is drawn and the file needs much of the memory. */
static void warn_of_large_file(struct read_progress *p, const char *path, uint64_t done,
                               uint64_t total)
{
    uint64_t spans, bytes, limit = memory_limit();
    char text[400], file[VALUE_TEXT_MAX], memory[VALUE_TEXT_MAX], most[VALUE_TEXT_MAX];
    struct stat st;
    if (p->warned || !trace_estimate(p->trace, done, total, &spans, &bytes))
        return;
    p->warned = true;
    if (bytes < VERY_LARGE && bytes <= limit)
        return;
    snprintf(text, sizeof text,
             "%.200s: %s, about %" PRIu64 " spans, %s of memory (the limit is %s%s)", path,
             value_text(stat(path, &st) == 0 ? (double)st.st_size : 0, UNIT_BYTES, true, file),
             spans, value_text((double)bytes, UNIT_BYTES, true, memory),
             value_text((double)limit, UNIT_BYTES, true, most),
             bytes > limit ? ": the shortest become sums" : "");
    exit_note(text);
}

static bool tell_read_progress(void *ctx, const char *path, uint64_t done, uint64_t total)
{
    struct read_progress *p = ctx;
    char line[1024], doing[96];
    if (progress_note_due(&p->note)) {
        progress_doing(doing, sizeof doing, p->trace, done, total);
        progress_line(line, sizeof line, progress_note_width(&p->note), path, doing,
                      trace_share(p->trace, done, total));
        progress_note_show(&p->note, line);
    }
    if (p->note.fd < 0)
        warn_of_large_file(p, path, done, total);
    return true;
}

static struct window wanted = {.to = UINT64_MAX};
static const char *wanted_value;

/* Refuses --from, --to and --range for sessions, which have samples, and for live programs, which
 * have not ended. */
static int check_part_options(const struct options *o, struct error *err)
{
    const char *help = "rooftop FILE of a profiler; of sessions: :seek";
    if (o->command && !*o->command && o->noperands == 0)
        return error_set(err, ERROR_USAGE, EINVAL, help, "--from, --to, --range, --value",
                         "they choose a part of a profile, and none is opened");
    for (size_t i = 0; i < o->noperands; i++)
        if (session_recognise(o->operands[i]))
            return error_set(err, ERROR_USAGE, EINVAL, help, o->operands[i],
                             "it is a session; only profiles have parts");
    return 0;
}

int progress_want(const struct options *o, struct error *err)
{
    window_free(&wanted);
    wanted_value = o->value;
    int rc = window_parse(&wanted, o->from, o->to, o->range, err);
    return rc == 0 && (wanted_value || !window_is_whole(&wanted)) ? check_part_options(o, err) : rc;
}

const struct window *progress_wanted(void)
{
    return &wanted;
}

static void begin_progress(struct read_progress *p, struct trace *t)
{
    *p = (struct read_progress){.trace = t};
    progress_note_begin_ended_by_signals(&p->note);
    t->watch = tell_read_progress;
    t->watch_ctx = p;
    t->wanted = &wanted;
    t->wanted_value = wanted_value;
}

static void end_progress(struct read_progress *p, struct trace *t)
{
    t->watch = NULL;
    t->watch_ctx = NULL;
    t->wanted = NULL;
    t->wanted_value = NULL;
    progress_note_end(&p->note);
}

/* Files of most formats have samples of one value. */
static int check_wanted_value(const struct trace *t, const char *path, struct error *err)
{
    const char *event = t->samples ? t->samples->stacks.event : NULL;
    if (!wanted_value || (event && strncmp(event, wanted_value, strlen(wanted_value)) == 0))
        return 0;
    return error_set(err, ERROR_USAGE, EINVAL, "open it without --value", path,
                     "it has no events or values to choose '%s' from", wanted_value);
}

static int finish_opening(int rc, const struct trace *t, const char *path, struct error *err)
{
    if (rc == 0)
        return check_wanted_value(t, path, err);
    nearby_help(err, nearby_any);
    return rc;
}

int progress_trace_open(struct trace *t, const char *const *paths, size_t n, struct error *err)
{
    struct read_progress p;
    begin_progress(&p, t);
    int rc = trace_open(t, paths, n, err);
    end_progress(&p, t);
    return finish_opening(rc, t, paths[0], err);
}

int progress_analysis_open(struct analysis *a, const char *const *paths, size_t n,
                           struct error *err)
{
    struct read_progress p;
    begin_progress(&p, &a->trace);
    int rc = analysis_open(a, paths, n, err);
    end_progress(&p, &a->trace);
    return finish_opening(rc, &a->trace, paths[0], err);
}

int progress_refuse_samples(const struct trace *t, const char *path, struct error *err)
{
    if (!t->samples || t->calls->nnodes)
        return 0;
    return error_set(err, ERROR_INPUT, EINVAL,
                     "rooftop FILE shows its functions, rooftop compare A B compares two, "
                     "rooftop export --format svg, folded, speedscope or pprof FILE converts it",
                     path, "it has samples of a CPU, without the calls and times that this needs");
}
