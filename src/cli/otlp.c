/* rooftop export otlp: sends what waits in the spool. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/print.h"
#include "base/watch.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/brief_output.h"
#include "cli/run/otlp_output.h"
#include "cli/run/output.h"
#include "cli/run/progress_note.h"
#include "cli/run/signals.h"

struct waiting {
    struct spool_sum *list;
    size_t n;
    const char *folder;
};

/* A file's name begins with the time of day. */
static void format_waiting_since(const char *name, char out[32])
{
    const time_t t = (time_t)(strtoull(name, NULL, 10) / 1000000000u);
    struct tm tm = {0};
    if (!localtime_r(&t, &tm) || !strftime(out, 32, "%Y-%m-%d %H:%M:%S", &tm))
        snprintf(out, 32, "?");
}

static void list_waiting_spans(FILE *out, const void *what)
{
    const struct waiting *w = what;
    char shown[ENDPOINT_URL], when[32];
    print_text(out, w->n ? "%s\n" : "nothing waits in %s\n", w->folder);
    for (size_t i = 0; i < w->n; i++) {
        const struct spool_sum *s = &w->list[i];
        endpoint_shown(s->url, shown, sizeof shown);
        format_waiting_since(s->oldest, when);
        print_text(out, "  %llu span%s in %llu message%s, %llu bytes, since %s, for %s\n",
                   (unsigned long long)s->spans, s->spans == 1 ? "" : "s",
                   (unsigned long long)s->messages, s->messages == 1 ? "" : "s",
                   (unsigned long long)s->bytes, when, shown);
    }
}

/* The short answer: how much waits, and for which collectors. */
static int answer_waiting(const struct waiting *w, const struct options *o, struct error *err)
{
    struct brief b = {.command = o->words};
    char shown[ENDPOINT_URL], when[32];
    unsigned long long spans = 0;
    for (size_t i = 0; i < w->n; i++) {
        const struct spool_sum *s = &w->list[i];
        spans += s->spans;
        endpoint_shown(s->url, shown, sizeof shown);
        format_waiting_since(s->oldest, when);
        brief_row(&b, shown, "%llu spans, %llu bytes, since %s", (unsigned long long)s->spans,
                  (unsigned long long)s->bytes, when);
    }
    if (w->n)
        brief_verdict(&b, "%llu spans wait in %.160s", spans, w->folder);
    else
        brief_verdict(&b, "nothing waits in %.160s", w->folder);
    if (w->n)
        brief_next(&b, o->otlp.spool ? "rooftop export otlp --otlp-spool" : "rooftop export otlp",
                   &o->otlp.spool, o->otlp.spool != NULL);
    return brief_output(&b, o, err);
}

static int list_waiting(const struct options *o, struct error *err)
{
    struct spool spool;
    struct waiting w = {0};
    int rc = spool_open(&spool, o->otlp.spool, UINT64_MAX, err);
    if (rc != 0)
        return rc;
    w.list = spool_sums(&spool, &w.n);
    w.folder = spool.folder;
    if (options_brief(o))
        rc = answer_waiting(&w, o, err);
    else
        rc = output_made(NULL, list_waiting_spans, &w, err);
    free(w.list);
    spool_close(&spool);
    return rc;
}

/* --- sending --- */

/* What became of everything that waited. */
struct sent {
    uint64_t taken, messages, gone, waiting, damaged; /* taken, gone, waiting: spans */
};

static void add_report(struct sent *all, const struct delivery_report *r, const char *url)
{
    struct error err = ERROR_INIT;
    char line[1024];
    otlp_report_notes(r, url);
    if (otlp_report_error(r, url, &err) != 0)
        exit_note(error_format(&err, line, sizeof line));
    all->taken += r->taken;
    all->messages += r->messages;
    all->gone += r->refused + r->rejected;
    all->waiting += r->waiting;
    all->damaged += r->damaged;
}

static struct delivery_config config_of(const struct options *o, const struct endpoint *e)
{
    return (struct delivery_config){.endpoint = e,
                                    .spool = o->otlp.spool,
                                    .wait_ns = (uint64_t)(o->otlp.wait_s * 1e9),
                                    .any_address = o->otlp.url};
}

/* Waits for the end of one delivery, and shows how far it is; others may be under way meanwhile. */
static void await_delivery(struct delivery *d, const struct sent *all, const char *url)
{
    struct progress_note note;
    struct delivery_state now;
    char shown[ENDPOINT_URL], line[600];
    endpoint_shown(url, shown, sizeof shown);
    delivery_finish(d);
    progress_note_begin(&note);
    while (delivery_wait(d)) {
        delivery_look(d, &now);
        print_line(line, sizeof line,
                   "sending: %" PRIu64 " spans in %" PRIu64 " messages so far, "
                   "to %.160s%s%.160s",
                   all->taken + now.taken, all->messages + now.messages, shown,
                   now.away ? "; it takes none now: " : "", now.away ? now.why : "");
        progress_note_show(&note, line);
    }
    progress_note_end(&note);
}

/* Sends everything to the collector that the user named. */
static int send_to_one(const struct options *o, struct sent *all, struct error *err)
{
    struct endpoint endpoint = {.url = ""};
    struct delivery *delivery = NULL;
    struct delivery_report report;
    const struct delivery_config config = config_of(o, &endpoint);
    int rc = endpoint_open(&endpoint, o->otlp.url, o->otlp.protocol, err);
    if (rc == 0)
        rc = delivery_open(&delivery, &config, err);
    if (rc == 0) {
        await_delivery(delivery, all, endpoint.url);
        delivery_end(delivery, &report);
        add_report(all, &report, endpoint.url);
    }
    endpoint_close(&endpoint);
    return rc;
}

/* A collector, and the delivery of what was kept for it; delivery NULL: nothing is sent there. */
struct lane {
    struct endpoint endpoint;
    struct delivery *delivery;
};

static void tell_damaged(uint64_t n, const char *folder)
{
    struct delivery_report r = {.damaged = n};
    snprintf(r.folder, sizeof r.folder, "%s", folder);
    otlp_report_notes(&r, "");
}

static void tell_withheld(const struct spool_sum *s, const char *folder, const struct error *why)
{
    char line[1400], reason[1024];
    print_line(line, sizeof line, "%llu span%s in %s for %s", (unsigned long long)s->spans,
               s->spans == 1 ? " waits" : "s wait", folder,
               error_format(why, reason, sizeof reason));
    exit_note(line);
}

static int open_lane(struct lane *l, const struct options *o, const struct spool_sum *s,
                     const char *folder, struct sent *all, struct error *err)
{
    struct error why = ERROR_INIT;
    const struct delivery_config config = config_of(o, &l->endpoint);
    l->delivery = NULL;
    const int rc = endpoint_open_kept(&l->endpoint, s->url, &why);
    if (rc == 0)
        return delivery_open(&l->delivery, &config, err);
    if (why.kind == ERROR_USAGE &&
        strncmp(why.what, "OTEL_", 5) == 0) { /* the mistake concerns all collectors */
        *err = why;
        return rc;
    }
    tell_withheld(s, folder, &why);
    all->waiting += s->spans;
    return 0;
}

/* Sends what was kept to the collector that it was kept for. Several are served at the same
 * time, so that one which does not answer does not hold up the others. */
static int send_to_each(const struct options *o, struct sent *all, struct error *err)
{
    enum { AT_ONCE = 16 };
    static struct lane lanes[AT_ONCE];
    struct spool spool;
    size_t n = 0;
    int rc = spool_open(&spool, o->otlp.spool, UINT64_MAX, err);
    if (rc != 0)
        return rc;
    spool_check(&spool);
    all->damaged = spool.damaged;
    struct spool_sum *sums = spool_sums(&spool, &n);
    if (all->damaged)
        tell_damaged(all->damaged, spool.folder);
    for (size_t i = 0; i < n && rc == 0; i += AT_ONCE) {
        size_t open = 0;
        for (; open < AT_ONCE && i + open < n && rc == 0; open++)
            rc = open_lane(&lanes[open], o, &sums[i + open], spool.folder, all, err);
        for (size_t k = 0; k < open; k++)
            if (lanes[k].delivery)
                delivery_finish(lanes[k].delivery);
        for (size_t k = 0; k < open; k++) {
            struct delivery_report report;
            if (lanes[k].delivery) {
                await_delivery(lanes[k].delivery, all, lanes[k].endpoint.url);
                delivery_end(lanes[k].delivery, &report);
                add_report(all, &report, lanes[k].endpoint.url);
            }
            endpoint_close(&lanes[k].endpoint);
        }
    }
    free(sums);
    spool_close(&spool);
    return rc;
}

/* The short answer: what was sent, and what was lost or waits. */
static int answer_sent(const struct sent *all, const char *line, const struct options *o,
                       struct error *err)
{
    struct brief b = {.command = o->words};
    brief_verdict(&b, "%s", line);
    if (all->gone)
        brief_evidence(&b, "lost: %" PRIu64 " spans that a collector refused", all->gone);
    if (all->damaged)
        brief_evidence(&b, "lost: %" PRIu64 " damaged files of spans", all->damaged);
    if (all->waiting) {
        brief_evidence(&b, "%" PRIu64 " spans still wait", all->waiting);
        brief_next_again(&b, o, "");
        brief_next_again(&b, o, "--dry-run");
    }
    return brief_output(&b, o, err);
}

static int send_waiting(const struct options *o, struct error *err)
{
    static const struct watch watch = {signals_none, NULL};
    struct sent all = {0};
    char line[128];
    signals_catch(false);
    const struct watch *before = watch_set(&watch);
    const int rc = o->otlp.url ? send_to_one(o, &all, err) : send_to_each(o, &all, err);
    watch_set(before);
    if (rc != 0)
        return rc;
    snprintf(line, sizeof line, "%" PRIu64 " span%s sent in %" PRIu64 " message%s", all.taken,
             all.taken == 1 ? " was" : "s were", all.messages, all.messages == 1 ? "" : "s");
    if (options_brief(o) && answer_sent(&all, line, o, err) != 0)
        return -EIO;
    if (!options_brief(o))
        exit_note(line);
    if (!all.gone && !all.waiting && !all.damaged)
        return 0;
    return error_set(err, ERROR_OUTPUT, EPROTO,
                     all.waiting ? "run rooftop export otlp again when the collector takes them"
                                 : NULL,
                     "send what waits",
                     "%" PRIu64 " span%s refused, %" PRIu64 " wait%s, %" PRIu64 " file%s damaged",
                     all.gone, all.gone == 1 ? " was" : "s were", all.waiting,
                     all.waiting == 1 ? "s" : "", all.damaged, all.damaged == 1 ? " is" : "s are");
}

/* A folder that the user names must exist and be readable; otherwise it would seem that nothing
 * waits. */
static int check_spool(const struct options *o, struct error *err)
{
    if (!o->otlp.spool || access(o->otlp.spool, R_OK | X_OK) == 0)
        return 0;
    return error_set(err, ERROR_INPUT, errno, "name the folder that --otlp-spool named before",
                     o->otlp.spool, "%s", strerror(errno));
}

struct otlp_options {
    bool dry_run;
};

static int otlp_run(struct options *o)
{
    const struct otlp_options *own = o->own;
    struct error err = ERROR_INIT;
    int rc = o->noperands ? error_set(&err, ERROR_USAGE, EINVAL, command_otlp.usage, "export otlp",
                                      "cannot use '%s'", o->operands[0])
                          : check_spool(o, &err);
    if (rc == 0)
        rc = own->dry_run ? list_waiting(o, &err) : send_waiting(o, &err);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}

static const struct command_option options[] = {
    TAKES_AS(OTLP, .help = "send everything to this collector; each to the one it was for, unless "
                           "given"),
    TAKES(OTLP_PROTOCOL),
    TAKES(OTLP_SPOOL),
    TAKES(OTLP_WAIT),
    OWN(.section = "OpenTelemetry", .name = "dry-run", OWN_AT(otlp_options, dry_run),
        .type = OPTION_FLAG, .help = "print what waits, for which collector, and send nothing"),
    TAKES_ANSWER,
    TAKES_GENERAL,
};

const struct command command_otlp = {
    .name = "otlp",
    .summary = "send the spans that wait for a collector of OpenTelemetry",
    .usage =
        "rooftop export otlp [--brief] [--dry-run] [--otlp URL] [--otlp-spool DIR] [--otlp-wait "
        "SECONDS]",
    .run = otlp_run,
    .options = options,
    .examples = EXAMPLES({"rooftop export otlp", "send what was kept while the collector was away"},
                         {"rooftop export otlp --dry-run", "what waits, and for which collector"}),
    .exits = EXITS(
        {.code = EXIT_INPUT, .text = "the folder of --otlp-spool is not there, or not readable"},
        {.code = EXIT_UNSUPPORTED, .text = "libcurl is not installed"},
        {.code = EXIT_OUTPUT,
         .text = "the collector did not take all: what it refused is gone, the rest "
                 "waits"}),
};
