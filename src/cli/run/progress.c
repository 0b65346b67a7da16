#include "cli/run/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/memory.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/options/exit.h"
#include "engine/functions/hot_profile.h"
#include "engine/session/session.h"

enum {
    PATIENCE_MS = 500,
    BETWEEN_MS = 100,
    COLS = 80,
    BAR_MOST = 40,
    BAR_LEAST = 10,
    LARGE = 256 << 20,
    VERY_LARGE = 1 << 30
};

static volatile sig_atomic_t drawn; /* a bar is on the terminal */
static const char erase[] = "\r\033[K";

struct read_progress {
    const struct trace *trace;
    uint64_t began_ns, drawn_ns;
    bool terminal, warned;
};

static void erase_bar(void)
{
    ssize_t ignored = drawn ? write(STDERR_FILENO, erase, sizeof erase - 1) : 0; /* raw: ours */
    (void)ignored;
    drawn = 0;
}

/* Ends the process at once: no output has been made that would have to be removed. */
static void on_signal(int signo)
{
    erase_bar();
    signal(signo, SIG_DFL);
    raise(signo);
}

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
    if (trace_estimate(t, done, total, &spans, &bytes) && bytes >= LARGE)
        snprintf(out, size, "%s ~%.1f M spans, %.1f GB", trace_phase_name(t->phase),
                 (double)spans / 1e6, (double)bytes / 1e9);
    else
        snprintf(out, size, "%s", trace_phase_name(t->phase));
}

/* Prints, once, a warning if no bar is drawn and the file needs much of the memory. */
static void warn_of_large_file(struct read_progress *p, const char *path, uint64_t done,
                               uint64_t total)
{
    uint64_t spans, bytes, limit = memory_limit();
    char text[400];
    struct stat st;
    if (p->warned || !trace_estimate(p->trace, done, total, &spans, &bytes))
        return;
    p->warned = true;
    if (bytes < VERY_LARGE && bytes <= limit)
        return;
    snprintf(text, sizeof text,
             "%.200s: %.1f MB, about %" PRIu64 " spans, %.0f MB of memory (the limit is %.0f MB%s)",
             path, stat(path, &st) == 0 ? (double)st.st_size / 1e6 : 0, spans, (double)bytes / 1e6,
             (double)limit / 1e6, bytes > limit ? ": the shortest become sums" : "");
    exit_note(text);
}

static void draw_read_progress(struct read_progress *p, const char *path, uint64_t done,
                               uint64_t total)
{
    struct winsize ws;
    char line[1024], text[1100];
    int width =
        ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 1 ? ws.ws_col - 1 : COLS - 1;
    char doing[96];
    progress_doing(doing, sizeof doing, p->trace, done, total);
    progress_line(line, sizeof line, width, path, doing, trace_share(p->trace, done, total));
    drawn = 1; /* set before the write, because a signal may come at any time */
    int n = snprintf(text, sizeof text, "\r%s\033[K", line);
    ssize_t ignored = write(STDERR_FILENO, text, (size_t)n); /* raw: made by print_line */
    (void)ignored;
}

static bool tell_read_progress(void *ctx, const char *path, uint64_t done, uint64_t total)
{
    struct read_progress *p = ctx;
    uint64_t now = p->terminal ? env_now_ns() : 0;
    if (p->terminal && now - p->began_ns > PATIENCE_MS * UINT64_C(1000000) &&
        now - p->drawn_ns > BETWEEN_MS * UINT64_C(1000000)) {
        draw_read_progress(p, path, done, total);
        p->drawn_ns = now;
    }
    if (!p->terminal)
        warn_of_large_file(p, path, done, total);
    return true;
}

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

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

static void begin_progress(struct read_progress *p, struct trace *t, struct sigaction old[SIGNALS])
{
    struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&sa.sa_mask);
    drawn = 0;
    for (size_t i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &old[i]);
        if (old[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &sa, NULL);
    }
    *p = (struct read_progress){
        .trace = t, .began_ns = env_now_ns(), .terminal = isatty(STDERR_FILENO)};
    t->watch = tell_read_progress;
    t->watch_ctx = p;
    t->wanted = &wanted;
    t->wanted_value = wanted_value;
}

static void end_progress(struct trace *t, const struct sigaction old[SIGNALS])
{
    t->watch = NULL;
    t->watch_ctx = NULL;
    t->wanted = NULL;
    t->wanted_value = NULL;
    erase_bar();
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &old[i], NULL);
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

int progress_trace_open(struct trace *t, const char *const *paths, size_t n, struct error *err)
{
    struct read_progress p;
    struct sigaction old[SIGNALS];
    begin_progress(&p, t, old);
    int rc = trace_open(t, paths, n, err);
    end_progress(t, old);
    return rc == 0 ? check_wanted_value(t, paths[0], err) : rc;
}

int progress_analysis_open(struct analysis *a, const char *const *paths, size_t n,
                           struct error *err)
{
    struct read_progress p;
    struct sigaction old[SIGNALS];
    begin_progress(&p, &a->trace, old);
    int rc = analysis_open(a, paths, n, err);
    end_progress(&a->trace, old);
    return rc == 0 ? check_wanted_value(&a->trace, paths[0], err) : rc;
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

/* --- a progress line --- */

void progress_note_begin(struct progress_note *l)
{
    *l = (struct progress_note){.began_ns = env_now_ns(), .terminal = isatty(STDERR_FILENO)};
}

bool progress_note_due(const struct progress_note *l)
{
    const uint64_t now = l->terminal ? env_now_ns() : 0;
    return l->terminal && now - l->began_ns >= PATIENCE_MS * UINT64_C(1000000) &&
           now - l->drawn_ns >= 2 * BETWEEN_MS * UINT64_C(1000000);
}

void progress_note_show(struct progress_note *l, const char *text)
{
    struct winsize ws;
    char line[1024], out[1100];
    if (!progress_note_due(l))
        return;
    int width =
        ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 1 ? ws.ws_col - 1 : COLS - 1;
    print_line(line, sizeof line, "%.*s", width, text);
    int n = snprintf(out, sizeof out, "\r%s\033[K", line);
    ssize_t ignored = write(STDERR_FILENO, out, (size_t)n); /* raw: made by print_line */
    (void)ignored;
    l->drawn = true;
    l->drawn_ns = env_now_ns();
}

void progress_note_end(struct progress_note *l)
{
    static const char erase[] = "\r\033[K";
    if (!l->drawn)
        return;
    ssize_t ignored = write(STDERR_FILENO, erase, sizeof erase - 1); /* raw: ours */
    (void)ignored;
}
