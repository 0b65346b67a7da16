/* rooftop otlp: sends what waits in the spool. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/print.h"
#include "base/watch.h"
#include "cli/options/command.h"
#include "cli/options/commands.h"
#include "cli/options/exit.h"
#include "cli/run/otlp_output.h"
#include "cli/run/output.h"
#include "cli/run/signals.h"

struct waiting {
    struct spool_sum *list;
    size_t n;
    const char *folder;
};

/* A file's name begins with the time of day. */
static void since(const char *name, char out[32])
{
    const time_t t = (time_t)(strtoull(name, NULL, 10) / 1000000000u);
    struct tm tm = {0};
    if (!localtime_r(&t, &tm) || !strftime(out, 32, "%Y-%m-%d %H:%M:%S", &tm))
        snprintf(out, 32, "?");
}

static void list(FILE *out, const void *what)
{
    const struct waiting *w = what;
    char shown[ENDPOINT_URL], when[32];
    print_text(out, w->n ? "%s\n" : "nothing waits in %s\n", w->folder);
    for (size_t i = 0; i < w->n; i++) {
        const struct spool_sum *s = &w->list[i];
        endpoint_shown(s->url, shown, sizeof shown);
        since(s->oldest, when);
        print_text(out, "  %llu spans in %llu messages, %llu bytes, since %s, for %s\n",
                   (unsigned long long)s->spans, (unsigned long long)s->messages,
                   (unsigned long long)s->bytes, when, shown);
    }
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
    rc = output_made(NULL, list, &w, err);
    free(w.list);
    spool_close(&spool);
    return rc;
}

static int send_waiting(const struct options *o, struct error *err)
{
    static const struct watch watch = {signals_none, NULL};
    struct endpoint endpoint;
    struct delivery *delivery = NULL;
    struct delivery_report report;
    char line[128];
    const struct delivery_config config = {.endpoint = &endpoint,
                                           .spool = o->otlp.spool,
                                           .wait_ns = (uint64_t)(o->otlp.wait_s * 1e9),
                                           .any_address = o->otlp.url != NULL,
                                           .every = true};
    int rc = endpoint_open(&endpoint, o->otlp.url, o->otlp.protocol, err);
    signals_catch(false);
    if (rc == 0)
        rc = delivery_open(&delivery, &config, err);
    if (rc == 0) {
        const struct watch *before = watch_set(&watch);
        delivery_end(delivery, &report);
        watch_set(before);
        snprintf(line, sizeof line, "%" PRIu64 " spans were sent in %" PRIu64 " messages",
                 report.taken, report.messages);
        exit_note(line);
        const char *url = endpoint.url[0] ? endpoint.url : "the collector";
        otlp_report_notes(&report, url);
        rc = otlp_report_error(&report, url, err);
        if (rc == 0 && report.waiting)
            rc = error_set(err, ERROR_OUTPUT, EAGAIN, "run rooftop otlp again when it is there",
                           "send what waits", "%s",
                           report.why[0] ? report.why : "the collector did not answer in time");
    }
    endpoint_close(&endpoint);
    return rc;
}

static int otlp_run(struct options *o)
{
    struct error err = ERROR_INIT;
    int rc = o->noperands ? error_set(&err, ERROR_USAGE, EINVAL, command_otlp.usage, "otlp",
                                      "cannot use '%s'", o->operands[0])
             : o->dry_run ? list_waiting(o, &err)
                          : send_waiting(o, &err);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}

static const struct command_option options[] = {
    TAKES_AS(OTLP, .help = "send everything to this collector; each to the one it was for, unless "
                           "given"),
    TAKES(OTLP_PROTOCOL),
    TAKES(OTLP_SPOOL),
    TAKES(OTLP_WAIT),
    OWN(.section = "OpenTelemetry", .name = "dry-run", .type = OPTION_FLAG,
        .help = "print what waits, for which collector, and send nothing", AT(dry_run)),
    TAKES_GENERAL,
};

const struct command command_otlp = {
    .name = "otlp",
    .summary = "send the spans that wait for a collector of OpenTelemetry",
    .usage = "rooftop otlp [--dry-run] [--otlp URL] [--otlp-spool DIR] [--otlp-wait SECONDS]",
    .run = otlp_run,
    .options = options,
    .examples = EXAMPLES({"rooftop otlp", "send what was kept while the collector was away"},
                         {"rooftop otlp --dry-run", "what waits, and for which collector"}),
    .exits = EXITS({.code = EXIT_UNSUPPORTED, .text = "libcurl is not installed"},
                   {.code = EXIT_OUTPUT,
                    .text = "the collector did not take all: what it refused is gone, the rest "
                            "waits"}),
};
