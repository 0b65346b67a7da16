#include "cli/fleet/fleet_prometheus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backends/prometheus/prometheus.h"
#include "base/arena.h"
#include "base/print.h"
#include "base/watch.h"
#include "cli/options/exit.h"
#include "cli/run/progress_note.h"

/* Half of what is kept is the past that a server is asked for, half is what comes meanwhile. */
enum { KEPT = 600, SHORTEST_PAST_S = 60 };

const char *prometheus_address(const struct options *o)
{
    static const char scheme[] = "prom:";
    const bool is = o->noperands == 1 && strncmp(o->operands[0], scheme, sizeof scheme - 1) == 0;
    return is ? o->operands[0] + sizeof scheme - 1 : NULL;
}

size_t prometheus_history(const struct options *o)
{
    return o->fleet.past ? KEPT : 0;
}

/* "90s", "30m", "2h", "7d". */
static int read_past(const char *text, double *seconds, struct error *err)
{
    static const char letters[] = "smhd";
    static const double lengths[] = {1, 60, 3600, 86400};
    char *end;
    *seconds = 0;
    if (!text)
        return 0;
    const double v = strtod(text, &end);
    const char *letter = *end ? strchr(letters, *end) : letters;
    if (end == text || !letter || (*end && end[1]) || strpbrk(text, "xXnN"))
        return error_set(err, ERROR_USAGE, EINVAL, "as in: 90s, 30m, 2h, 7d", "--past",
                         "this is not a time");
    *seconds = v * lengths[letter - letters];
    if (!(*seconds >= SHORTEST_PAST_S && *seconds <= 3660 * lengths[3]))
        return error_set(err, ERROR_USAGE, EINVAL, "from 60s to 3660d", "--past",
                         "it is too short or too long");
    return 0;
}

/* The first answer may take as long as the server likes. */
struct question {
    struct progress_note note;
    const char *url;
};

static bool tell_question(void *ctx)
{
    struct question *q = ctx;
    char line[256];
    print_line(line, sizeof line, "asking %.200s", q->url);
    progress_note_show(&q->note, line);
    return true;
}

static int open_server(const struct options *o, const char *url, struct fleet_source_of *out,
                       const struct prometheus_config *config, struct error *err)
{
    struct server_config server = {
        .url = url, .match = o->fleet.match, .host_label = o->fleet.host_label, .points = KEPT / 2};
    struct question question = {.url = url};
    const struct watch watch = {tell_question, &question};
    int rc = read_past(o->fleet.past, &server.past_s, err);
    if (rc != 0)
        return rc;
    progress_note_begin_ended_by_signals(&question.note);
    const struct watch *before = watch_set(&watch);
    rc = server_open(out, &server, config, err);
    watch_set(before);
    progress_note_end(&question.note);
    return rc;
}

/* The addresses of --scrape, one in each line. */
static int open_exporters(const char *lines, struct fleet_source_of *out,
                          const struct prometheus_config *config, struct error *err)
{
    char *text = xstrdup(lines);
    char *rest = NULL;
    size_t n = 0;
    char **urls = xcalloc(strlen(text) + 1, sizeof *urls);
    for (char *url = strtok_r(text, "\n, ", &rest); url; url = strtok_r(NULL, "\n, ", &rest))
        urls[n++] = url;
    const int rc = n ? scrape_open(out, urls, n, config, err)
                     : error_set(err, ERROR_USAGE, EINVAL, "http://HOST:9100", "--scrape",
                                 "no address is given");
    free(urls);
    free(text);
    return rc;
}

/* What is of a server only says nothing of exporters. */
static int refuse_server_options(const struct options *o, struct error *err)
{
    const char *option = NULL;
    if (o->fleet.match)
        option = "--match";
    else if (o->fleet.host_label)
        option = "--host-label";
    else if (o->fleet.past)
        option = "--past";
    if (!option || prometheus_address(o))
        return 0;
    return error_set(err, ERROR_USAGE, EINVAL, "rooftop prom:http://SERVER:9090", option,
                     "it is about a server that is asked; none is given");
}

/* As ssh says of a key. It is used all the same: where secrets are mounted, the mode is often not
 * the user's choice. */
static void warn_of_open_file(const char *path)
{
    struct stat st;
    char line[512];
    if (!path || stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
        !(st.st_mode & (S_IROTH | S_IWOTH | S_IWGRP)))
        return;
    snprintf(line, sizeof line,
             "--prom-auth: %.300s: its mode is 0%03o: other users can read or change the "
             "secret in it; chmod 600 it",
             path, (unsigned)st.st_mode & 0777);
    exit_note(line);
}

int prometheus_sources(const struct options *o, struct fleet_source_of *out, size_t *n,
                       struct error *err)
{
    const char *url = prometheus_address(o);
    struct prometheus_config config = {
        .interval_s = o->interval_s, .auth = o->fleet.auth, .exporters = o->fleet.exporters};
    uint64_t bytes = 0;
    *n = 0;
    warn_of_open_file(config.auth);
    int rc = refuse_server_options(o, err);
    if (rc == 0 && o->fleet.max_answer)
        rc = options_bytes("--max-answer", o->fleet.max_answer, &bytes, err);
    config.answer_bytes = bytes < SIZE_MAX / 2 ? (size_t)bytes : SIZE_MAX / 2;
    if (rc == 0 && o->fleet.scrape) {
        rc = open_exporters(o->fleet.scrape, &out[*n], &config, err);
        *n += rc == 0;
    }
    if (rc == 0 && url) {
        rc = open_server(o, url, &out[*n], &config, err);
        *n += rc == 0;
    }
    if (rc != 0)
        for (; *n; --*n)
            out[*n - 1].ops->stop(out[*n - 1].self);
    return rc;
}
