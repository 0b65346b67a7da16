#include "cli/run/run_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/env.h"
#include "base/print.h"
#include "cli/options/command.h"
#include "cli/run/dashboard.h"
#include "cli/options/exit.h"
#include "cli/options/options.h"
#include "cli/options/version.h"
#include "cli/run/written.h"

/* A name in the working directory that sorts by time. */
static const char *default_path(char out[64])
{
    time_t t = (time_t)(env_wall_ns() / 1000000000u);
    struct tm tm = {0};
    localtime_r(&t, &tm);
    strftime(out, 64, "rooftop-%Y%m%d-%H%M%S.rooftop", &tm);
    return out;
}

void record_show(struct recorder *r, const struct snapshot *s, uint64_t samples)
{
    char line[1000], size[VALUE_TEXT_MAX], took[VALUE_TEXT_MAX];
    struct stat st;
    snapshot_unref(r->last);
    r->last = s ? snapshot_ref(s) : NULL;
    r->samples = samples;
    if (r->quiet || !progress_note_due(&r->note))
        return;
    const struct value bytes =
        value_ok(stat(r->path, &st) == 0 ? (double)st.st_size : NAN, UNIT_BYTES);
    print_line(line, sizeof line, "recording: %s, %" PRIu64 " samples, %s, %.600s; ^C ends it",
               value_time((double)(env_now_ns() - r->began_ns), true, took), samples,
               value_format(&bytes, true, size), r->path);
    progress_note_show(&r->note, line);
}

int record_open(struct recorder *r, const struct options *o, struct error *err)
{
    char name[64];
    const char *path = o->output ? o->output : default_path(name);
    struct session_config config = {.path = path,
                                    .replace = o->replace,
                                    .dropped = &r->dropped,
                                    .generator = "rooftop " ROOFTOP_VERSION};
    *r = (struct recorder){.began_ns = env_now_ns(), .quiet = o->argv != NULL};
    if (o->noperands)
        return error_set(err, ERROR_USAGE, EINVAL, "rooftop FILE opens it", o->operands[0],
                         "what runs is recorded, not a file");
    if (strlen(path) >= sizeof r->path)
        return error_set(err, ERROR_OUTPUT, ENAMETOOLONG, NULL, "--output", "the path is too long");
    memcpy(r->path, path, strlen(path) + 1);
    int rc = 0;
    if (o->max_size)
        rc = options_bytes("--max-size", o->max_size, &config.max_bytes, err);
    if (rc == 0)
        rc = session_create(&r->session, &config, err);
    if (rc != 0)
        return rc;
    progress_note_begin(&r->note);
    progress_note_hurry(&r->note);
    record_show(r, NULL, 0);
    return 0;
}

/* Adds what the samples have, as the last of them shows it, and what they lack. */
static void describe_recorded(struct written *w, const struct recorder *r)
{
    const struct snapshot *s = r->last;
    written_count(w, "samples", r->samples - r->dropped);
    if (r->dropped)
        brief_evidence(&w->brief,
                       "--max-size dropped the oldest %" PRIu64 " of %" PRIu64 " samples",
                       r->dropped, r->samples);
    if (!s)
        return;
    if (s->late_samples)
        brief_evidence(&w->brief, "%" PRIu64 " samples began late: the machine was busy",
                       s->late_samples);
    for (size_t i = 0; i < s->nnotices; i++)
        if (s->notices[i].level == NOTICE_WARN)
            brief_evidence(&w->brief, "%s", s->notices[i].text);
    brief_row(&w->brief, "of", "%.120s", s->target);
    written_count(w, "processes in the last sample", s->nprocs);
    written_count(w, "counters", s->ncounters);
    written_count(w, "instrumented programs", s->bricks ? s->bricks->nprograms : 0);
}

int record_close(struct recorder *r, const struct options *o, int rc, struct error *err)
{
    struct written w;
    const int closed = session_close(r->session, rc == 0 ? err : NULL);
    progress_note_end(&r->note);
    int told = 0;
    if (rc == 0 && closed == 0 && !r->silent) {
        written_begin(&w, r->path, (double)(env_now_ns() - r->began_ns) / 1e9);
        w.answer_fd = r->answer_fd;
        describe_recorded(&w, r);
        written_opens(&w);
        told = written_tell(&w, o, err);
    }
    snapshot_unref(r->last);
    r->last = NULL;
    return closed != 0 ? closed : told;
}

static const struct command_option options[] = {
    TAKES_LIVE,
    TAKES(FOR),
    TAKES_AS(FRAMES, .help = "how many snapshots; until the command ends, or ^C, unless given"),
    TAKES_AS(OUTPUT, .arg = "SESSION",
             .help = "the session file; rooftop-DATE-TIME.rooftop unless given"),
    TAKES(MAX_SIZE),
    TAKES_ANSWER,
    TAKES_AS(REPLACE, .help = "replace a session file that is already there"),
    TAKES_OTLP,
    TAKES_GENERAL,
};

const struct command command_record = {
    .name = "record",
    .summary = "write samples to a session file, which rooftop FILE opens",
    .usage = "rooftop record [--brief] [-o FILE] [-d SECONDS] [--max-size SIZE] [-p PID | -- "
             "COMMAND...]",
    .run = headless_run,
    .starts = true,
    .options = options,
    .examples = EXAMPLES(
        {"rooftop record -o run.rooftop -d 0.5 -- ./a.out", "record a program until it ends"},
        {"rooftop record --max-size 64M",
         "record this machine until it is stopped, and keep the last 64 MB"}),
    .exits = EXITS({.code = EXIT_TARGET}, {.code = EXIT_PERMISSION}, {.code = EXIT_UNSUPPORTED}),
};
