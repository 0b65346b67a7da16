/* Documents of many hosts. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "cli/fleet/fleet_impl.h"
#include "cli/options/exit.h"
#include "cli/run/brief_output.h"
#include "cli/run/output.h"
#include "cli/run/signals.h"
#include "export/fleet/fleet_export.h"
#include "tui/term/term.h"

enum { SETTLED_S = 30 }; /* the first document waits no longer for hosts that say nothing */
#define SECOND UINT64_C(1000000000)

struct fleet_writer {
    struct options *o;
    struct fleet_run *run;
    struct output out;
    const char *format;
    bool stream;
    long written, past; /* past: how many of them are of history */
    size_t live;        /* hosts, in the last picture */
    uint64_t began_ns, until_ns;
};

/* Whether each host has answered, or is lost. */
static bool is_settled(const struct fleet_writer *w, const struct fleet_picture *p)
{
    return p->states[FLEET_CONNECTING] == 0 || env_now_ns() - w->began_ns > SETTLED_S * SECOND;
}

/* Waits for the next picture. NULL: a signal came, or --for is over. */
static struct fleet_picture *wait_for_picture(const struct fleet_writer *w)
{
    struct pollfd fds[2] = {{.fd = fleet_run_fd(w->run), .events = POLLIN},
                            {.fd = signals_fd(), .events = POLLIN}};
    while (!signals_caught && env_now_ns() < w->until_ns) {
        poll(fds, 2, 100);
        struct fleet_picture *p = fleet_run_take(w->run);
        if (p)
            return p;
    }
    return NULL;
}

static void write_fleet_brief(FILE *f, const struct fleet_picture *p, const struct options *o)
{
    struct brief b = {.command = o->words};
    fleet_brief(&b, p);
    brief_next_again(&b, o, "");
    brief_write(f, &b, o->format);
}

static void write_fleet_document(FILE *f, const struct fleet_writer *w,
                                 const struct fleet_picture *p)
{
    if (options_brief(w->o))
        write_fleet_brief(f, p, w->o);
    else if (strcmp(w->format, "json") == 0 || strcmp(w->format, "jsonl") == 0)
        fleet_export_json(f, p, strcmp(w->format, "jsonl") == 0);
    else if (strcmp(w->format, "csv") == 0)
        fleet_export_csv(f, p, w->written == 0 && (w->out.fresh || !w->o->output));
    else
        fleet_export_text(f, p, w->o->ascii || (!w->o->utf8 && !term_utf8()));
}

static int write_fleet_picture(struct fleet_writer *w, const struct fleet_picture *p,
                               struct error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return error_set(err, ERROR_INTERNAL, errno, NULL, "print", "%s", strerror(errno));
    write_fleet_document(f, w, p);
    fclose(f);
    const int rc = output_write(&w->out, text, size, err);
    free(text);
    w->written++;
    w->live = p->states[FLEET_LIVE];
    return rc;
}

enum { TIMES = 1024 };

/* What a server said of the past comes first in a stream, oldest first. */
static int write_fleet_past(struct fleet_writer *w, struct error *err)
{
    uint64_t times[TIMES];
    if (!w->o->fleet.past || !w->stream)
        return 0;
    const size_t n = fleet_run_times(w->run, -1, TIMES, times);
    int rc = 0;
    for (size_t i = 0; i + 1 < n && rc == 0; i++) {
        struct fleet_picture *p = fleet_run_at(w->run, times[i]);
        rc = write_fleet_picture(w, p, err);
        fleet_picture_unref(p);
    }
    w->past = w->written;
    return rc;
}

static int write_fleet_pictures(struct fleet_writer *w, struct error *err)
{
    const long frames = w->o->frames ? w->o->frames : 1;
    int rc = 0;
    while (w->written - w->past < frames && rc == 0) {
        struct fleet_picture *p = wait_for_picture(w);
        if (!p)
            break;
        const bool settled = w->written || is_settled(w, p);
        if (settled && !w->written)
            rc = write_fleet_past(w, err);
        if (settled && rc == 0)
            rc = write_fleet_picture(w, p, err);
        fleet_picture_unref(p);
    }
    return rc;
}

static int refuse_fleet_format(const char *format, struct error *err)
{
    static const char *const known[] = {"text", "json", "jsonl", "csv", "markdown"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(format, known[i]) == 0)
            return 0;
    return error_set(err, ERROR_USAGE, EINVAL, "text, json, jsonl or csv", "--format",
                     "hosts are not written as %s", format);
}

int fleet_headless(struct options *o, struct fleet_run *run)
{
    struct error err = ERROR_INIT;
    struct fleet_writer w = {.o = o, .run = run, .began_ns = env_now_ns()};
    w.format = o->format ? o->format : "text";
    w.stream = strcmp(w.format, "jsonl") == 0 || strcmp(w.format, "csv") == 0;
    w.until_ns = o->for_s > 0 ? w.began_ns + (uint64_t)(o->for_s * 1e9) : UINT64_MAX;
    int rc = refuse_fleet_format(w.format, &err);
    if (rc == 0)
        rc = output_open(&w.out, o->output, STDOUT_FILENO, w.stream, &err);
    if (rc != 0)
        return exit_report(&err);
    signals_catch(false);
    rc = write_fleet_pictures(&w, &err);
    const int closed = output_close(&w.out, rc == 0 && w.written > 0, &err);
    if (rc == 0)
        rc = closed;
    if (rc != 0)
        return exit_report(&err);
    if (signals_caught)
        return exit_by_signal(signals_caught);
    return w.live ? EXIT_DONE : EXIT_TARGET;
}
