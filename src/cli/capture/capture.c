#include "cli/capture/capture_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/print.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "export/brief.h"
#include "engine/value/value.h"

/* A progress line on stderr, if that is a terminal. */
struct capture_progress {
    struct capturer *capturer;
    uint32_t number;
    bool terminal, drawn;
    /* when the current capture was first seen to have a size; 0: there is none */
    uint64_t since_ns;
};

static void clear_capture_progress(struct capture_progress *p)
{
    if (p->drawn && write(STDERR_FILENO, "\r\033[K", 4) < 0) /* raw: ours */
        p->terminal = false;
    p->drawn = false;
}

/* Estimated seconds until the current capture is complete, at its pace so far; 0: unknown. */
static double estimate_seconds_left(struct capture_progress *p, const struct capturer_state *s)
{
    const uint64_t now = env_now_ns();
    if (!s || !s->total || !s->done)
        p->since_ns = s && s->total ? now : 0;
    if (!p->since_ns)
        p->since_ns = now;
    return s && s->done && s->done < s->total
               ? (double)(now - p->since_ns) / 1e9 / (double)s->done * (double)(s->total - s->done)
               : 0;
}

static void draw_capture_progress(void *ctx)
{
    struct capture_progress *p = ctx;
    struct capturer_state s;
    char line[200], done[VALUE_TEXT_MAX], total[VALUE_TEXT_MAX], time[VALUE_TEXT_MAX];
    if (!p->terminal)
        return;
    capturer.state(p->capturer, &s);
    const struct value bytes = value_ok((double)s.done, UNIT_BYTES),
                       all = value_ok((double)s.total, UNIT_BYTES);
    const bool under_way = s.nresults > 0 && !s.results[s.nresults - 1].ended;
    const struct value left =
        value_ok(estimate_seconds_left(p, under_way ? &s : NULL), UNIT_SECONDS);
    size_t n;
    if (under_way && !s.total)
        n = print_line(line, sizeof line, "capturing %.60s", s.results[s.nresults - 1].kernel);
    else if (under_way)
        n = print_line(line, sizeof line, "capturing %.60s: %s of %s%s%s%s",
                       s.results[s.nresults - 1].kernel, value_format(&bytes, 1, done),
                       value_format(&all, 1, total), left.v > 0 ? ", " : "",
                       left.v > 0 ? value_format(&left, 1, time) : "", left.v > 0 ? " left" : "");
    else
        n = print_line(line, sizeof line, "%llu dispatches, %llu of them match, %llu captured",
                       (unsigned long long)s.dispatches, (unsigned long long)s.matching,
                       (unsigned long long)s.captured);
    capturer.state_free(&s);
    /* raw: our own sequence, and a line that print_line made */
    p->drawn = write(STDERR_FILENO, "\r\033[K", 4) == 4 &&  /* raw: as said */
               write(STDERR_FILENO, line, n) == (ssize_t)n; /* raw: as said */
}

/* --- running the command --- */

struct capture_options {
    const char *kernel;   /* expression */
    long dispatch, every; /* 0: not given */
    bool slowest, post;
};

struct job {
    struct options *o;
    struct capturer *capturer;
    struct capturer_request request;
    uint32_t number;
    int wait_status, stopped;
};

static bool is_answer_alone(const struct options *o)
{
    return o->brief || (o->format && strcmp(o->format, "json") == 0);
}

static int run_once(struct job *j, struct error *err)
{
    int rc = capturer.ask(j->capturer, &j->request, &j->number, err);
    if (rc != 0)
        return rc;
    struct capture_progress p = {j->capturer, j->number, isatty(STDERR_FILENO) == 1, false, 0};
    /* With --format json or --brief, stdout has our document only: the command's output goes to
     * stderr. */
    rc = capturer.run(j->o->argv, is_answer_alone(j->o) ? STDERR_FILENO : -1, draw_capture_progress,
                      &p, &j->wait_status, &j->stopped, err);
    clear_capture_progress(&p);
    return rc;
}

static const struct capturer_kernel *find_slowest_kernel(const struct capturer_state *s)
{
    const struct capturer_kernel *found = NULL;
    for (size_t i = 0; i < s->nkernels; i++)
        if (s->kernels[i].slowest_ns > (found ? found->slowest_ns : 0))
            found = &s->kernels[i];
    return found;
}

/* --slowest runs the command twice: requests in the second run the dispatch that was slowest in
 * the first. */
static bool ask_for_slowest(struct job *j, char **name)
{
    struct capturer_state s;
    char line[400], time[VALUE_TEXT_MAX];
    capturer.state(j->capturer, &s);
    const struct capturer_kernel *k = find_slowest_kernel(&s);
    const bool found = k && *k->mangled;
    if (found) {
        const struct value v = value_ok((double)k->slowest_ns / 1e9, UNIT_SECONDS);
        snprintf(line, sizeof line,
                 "slowest: dispatch %llu of %.200s, %s; the command runs again to capture it",
                 (unsigned long long)k->slowest_index, k->name, value_format(&v, 1, time));
        exit_note(line);
        *name = xstrdup(k->mangled);
        j->request.which = CAPTURER_NTH;
        j->request.exact = true;
        j->request.kernel = *name;
        j->request.n = k->slowest_index;
    }
    capturer.state_free(&s);
    return found;
}

static int run_capture_passes(struct job *j, char **name, struct error *err)
{
    int rc = run_once(j, err);
    if (rc == 0 && j->request.which == CAPTURER_TIMES && !j->stopped && j->wait_status == 0 &&
        ask_for_slowest(j, name))
        rc = run_once(j, err);
    return rc;
}

static int print_capture_result(const struct job *j)
{
    const struct capture_options *own = j->o->own;
    struct capturer_state s;
    const char *asked = own->kernel;
    capturer.state(j->capturer, &s);
    const struct capture_report r = {&s, j->number, j->request.n, asked,
                                     j->request.which == CAPTURER_EVERY};
    int status = capture_report_text(&r);
    if (j->o->brief) {
        struct brief b = {.command = j->o->words};
        capture_brief(&b, &r);
        brief_write(stdout, &b, j->o->format);
        fflush(stdout);
    } else if (j->o->format && strcmp(j->o->format, "json") == 0) {
        const int written = capture_report_json(&r, j->wait_status);
        status = written != EXIT_DONE ? written : status;
    }
    capturer.state_free(&s);
    return j->wait_status ? exit_of_wait_status(j->wait_status) : status;
}

/* --- the options --- */

static int refuse_capture_words(const char *what, const char *why)
{
    struct error err = ERROR_INIT;
    error_set(&err, ERROR_USAGE, EINVAL,
              "rooftop gpu capture --kernel REGEX [-o DIR] -- COMMAND...", what, "%s", why);
    return exit_report(&err);
}

static int check_capture_options(const struct options *o)
{
    const struct capture_options *own = o->own;
    if (!o->argv || o->noperands)
        return refuse_capture_words("gpu capture", "no command is given after --");
    if (!own->kernel || !*own->kernel)
        return refuse_capture_words("gpu capture",
                                    "--kernel says which kernel; '.' is the first that runs");
    if ((own->dispatch > 0) + (own->every > 0) + own->slowest > 1)
        return refuse_capture_words("gpu capture", "only one of --dispatch, --every and --slowest");
    return EXIT_DONE;
}

static struct capturer_request requested_captures(const struct options *o)
{
    const struct capture_options *own = o->own;
    struct capturer_request r = {.which = CAPTURER_NTH,
                                 .kernel = own->kernel,
                                 .post = own->post,
                                 .timeout_s = o->timeout_s,
                                 .folder = o->output};
    if (own->every > 0) {
        r.which = CAPTURER_EVERY;
        r.n = (uint64_t)own->every;
    } else if (own->dispatch > 0) {
        r.n = (uint64_t)own->dispatch;
    }
    if (own->slowest)
        r.which = CAPTURER_TIMES;
    return r;
}

static int capture_run(struct options *o)
{
    struct error err = ERROR_INIT;
    char *name = NULL;
    int status = check_capture_options(o);
    if (status != EXIT_DONE)
        return status;
    struct job j = {.o = o, .request = requested_captures(o)};
    int rc = capturer.open(&j.capturer, &err);
    if (rc == 0)
        rc = run_capture_passes(&j, &name, &err);
    status = rc == 0 ? print_capture_result(&j) : exit_report_command(&err);
    capturer.close(j.capturer);
    free(name);
    return j.stopped ? exit_by_signal(j.stopped) : status;
}

static const struct command_option options[] = {
    OWN(.name = "kernel", OWN_AT(capture_options, kernel), .type = OPTION_STRING, .arg = "REGEX",
        .help = "the kernels whose names, demangled or not, match this expression"),
    OWN(.name = "dispatch", OWN_AT(capture_options, dispatch), .type = OPTION_INT, .arg = "N",
        .min = 0, .max = 1e15,
        .help = "capture the N-th dispatch of a matching kernel, counted from 0 in each process; 0 "
                "unless given"),
    OWN(.name = "every", OWN_AT(capture_options, every), .type = OPTION_INT, .arg = "N", .min = 1,
        .max = 1e15, .help = "capture every N-th dispatch of each matching kernel"),
    OWN(.name = "slowest", OWN_AT(capture_options, slowest), .type = OPTION_FLAG,
        .help = "run the command twice: find the slowest matching dispatch, then capture it"),
    OWN(.name = "post", OWN_AT(capture_options, post), .type = OPTION_FLAG,
        .help = "keep memory as it is after the kernel too: what a replay is verified with"),
    TAKES_AS(TIMEOUT, .help = "longest wait for earlier work to end, and again for the dispatch, "
                              "10 unless given; the program goes on then"),
    TAKES_AS(OUTPUT, .arg = "DIR",
             .help = "the folder of the captures, rooftop_captures unless given"),
    TAKES_AS(FORMAT, .choices = "text|json"),
    TAKES(BRIEF),
    TAKES_GENERAL,
};

const struct command command_capture = {
    .name = "capture",
    .summary = "save a dispatch of a GPU kernel with all its memory, so that it can be replayed "
               "alone",
    .usage = "rooftop gpu capture [--brief] --kernel REGEX [--dispatch N | --every N | --slowest] "
             "[--post] [-o "
             "DIR] -- COMMAND...",
    .run = capture_run,
    .starts = true,
    .options = options,
    .exits = EXITS({.code = EXIT_TARGET, .text = "no kernel matches, or it had fewer dispatches"},
                   {.code = EXIT_UNSUPPORTED, .text = "no HSA runtime loaded the capture library"}),
    .examples = EXAMPLES({"rooftop gpu capture --kernel gemm --post -- ./prog",
                          "capture the first dispatch of a kernel, with what it wrote"},
                         {"rooftop gpu capture --kernel . --slowest -- ./prog",
                          "capture the slowest dispatch of all"}),
};
