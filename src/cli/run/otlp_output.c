#include "cli/run/otlp_output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/print.h"
#include "base/watch.h"
#include "cli/options/exit.h"
#include "cli/run/signals.h"
#include "export/otlp/otlp_bricks.h"
#include "export/otlp/otlp_graph.h"

enum { LINE = 2048 };

/* If the caller cannot wait, a message for which there is no room is counted as lost. */
static int take(void *ctx, const struct otlp_message *m, struct error *err)
{
    struct otlp_output *x = ctx;
    const void *part[SPOOL_PARTS] = {m->part[0], m->part[1], m->part[2]};
    const int rc = delivery_add(x->delivery, part, m->size, m->spans, x->wait, err);
    return x->wait ? rc : 0;
}

/* live: the watched program has ended, and its caller must not wait for a slow collector. */
static int open_delivery(struct otlp_output *x, const struct options *o, bool live,
                         struct error *err)
{
    enum { WAITS = 5 };
    const uint64_t wait_ns = (uint64_t)(o->otlp.wait_s * 1e9);
    struct delivery_config config = {.endpoint = &x->endpoint,
                                     .spool = o->otlp.spool,
                                     .wait_ns = wait_ns,
                                     .whole_ns = live ? WAITS * wait_ns : 0};
    int rc = o->otlp.spool_size
                 ? options_bytes("--otlp-spool-size", o->otlp.spool_size, &config.spool_bytes, err)
                 : 0;
    return rc != 0 ? rc : delivery_open(&x->delivery, &config, err);
}

int otlp_output_open(struct otlp_output *x, const struct options *o, const char *service, bool live,
                     uint64_t key, struct error *err)
{
    *x = (struct otlp_output){0};
    if (!o->otlp.url)
        return 0;
    int rc = endpoint_open(&x->endpoint, o->otlp.url, o->otlp.protocol, err);
    if (live)
        otlp_context_new(&x->context);
    else
        otlp_context_of(&x->context, key);
    otlp_context_id(&x->context, OTLP_COMMAND, x->command);
    if (rc == 0 && o->argv)
        otlp_context_pass(&x->context, x->command);
    if (rc == 0)
        rc = open_delivery(x, o, live, err);
    if (rc != 0) {
        endpoint_close(&x->endpoint);
        return rc;
    }
    otlp_resource_open(&x->resource, service, live);
    x->batch = (struct otlp_batch){.format = x->endpoint.protocol == ENDPOINT_JSON ? &otlp_json
                                                                                   : &otlp_protobuf,
                                   .resource = &x->resource.attrs,
                                   .take = take,
                                   .ctx = x};
    pthread_mutex_init(&x->lock, NULL);
    x->open = true;
    x->wait = !live;
    return 0;
}

const char *otlp_output_service(const struct options *o)
{
    if (!o->argv)
        return NULL;
    const char *slash = strrchr(o->argv[0], '/');
    return slash && slash[1] ? slash + 1 : o->argv[0];
}

int otlp_output_trace(struct otlp_output *x, const struct trace *t, struct error *err)
{
    if (!x->open)
        return 0;
    struct otlp_graph graph = {.trace = t, .context = &x->context, .batch = &x->batch};
    const int rc = otlp_graph_write(&graph, err);
    otlp_graph_notes(&graph, t);
    return rc;
}

/* --- while programs run --- */

static void take_bricks(void *ctx, const struct brick_spans *s)
{
    struct otlp_output *x = ctx;
    pthread_mutex_lock(&x->lock);
    otlp_bricks_take(x->bricks, s);
    pthread_mutex_unlock(&x->lock);
}

static void on_tick(void *ctx)
{
    struct otlp_output *x = ctx;
    pthread_mutex_lock(&x->lock);
    otlp_batch_tick(&x->batch);
    pthread_mutex_unlock(&x->lock);
}

struct brick_stream *otlp_output_stream(struct otlp_output *x, const struct options *o, bool all)
{
    if (!x->open)
        return NULL;
    const uint8_t *command = o->argv ? x->command : NULL;
    x->processes = otlp_processes_new(&x->context, &x->batch, command);
    x->bricks = otlp_bricks_new(&x->context, &x->batch, command, x->processes);
    x->shift_ns = env_wall_ns() - env_now_ns();
    x->began_ns = env_now_ns() + x->shift_ns;
    x->stream = (struct brick_stream){
        .take = take_bricks, .tick = on_tick, .ctx = x, .since_ns = all ? 0 : env_now_ns()};
    return &x->stream;
}

static void write_command(struct otlp_output *x, const struct otlp_command *c)
{
    if (x->command_written || c->pid <= 0)
        return;
    x->command_written = true;
    pthread_mutex_lock(&x->lock);
    otlp_command_write(&x->context, &x->batch, c);
    pthread_mutex_unlock(&x->lock);
}

static void see_processes(struct otlp_output *x, const struct snapshot *s)
{
    const uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
    const uint64_t up_ns = s->uptime_s.validity == VALUE_OK ? (uint64_t)(s->uptime_s.v * 1e9) : 0;
    const uint64_t now = s->time_ns + x->shift_ns;
    if (x->boot_ns == 0 && up_ns > 0 && up_ns < now)
        x->boot_ns = now - up_ns;
    if (x->boot_ns == 0)
        return;
    pthread_mutex_lock(&x->lock);
    if (s->command.pid > 0)
        otlp_processes_command(x->processes, s->command.pid, x->began_ns);
    otlp_processes_begin(x->processes, now);
    for (size_t i = 0; i < s->nprocs; i++) {
        const struct proc *p = &s->procs[i];
        const uint64_t began = x->boot_ns + p->start_ticks * tick_ns;
        const bool told =
            s->target_kind == TARGET_HOST ? began + 2 * tick_ns >= x->began_ns : p->watched;
        if (told && !p->kernel_thread)
            otlp_processes_see(x->processes,
                               &(struct otlp_process){.pid = p->pid,
                                                      .parent_pid = p->ppid,
                                                      .start = p->start_ticks,
                                                      .begin_ns = began,
                                                      .ended = p->state == 'Z' || p->state == 'X',
                                                      .name = p->comm,
                                                      .command_line = p->cmdline});
    }
    otlp_processes_done(x->processes);
    pthread_mutex_unlock(&x->lock);
}

void otlp_output_look(struct otlp_output *x, const struct options *o, const struct snapshot *s)
{
    if (!x->open)
        return;
    see_processes(x, s);
    if (!o->argv || s->command.pid <= 0)
        return;
    x->running =
        (struct otlp_command){.id = x->command,
                              .pid = s->command.pid,
                              .argv = (const char *const *)o->argv,
                              .begin_ns = x->began_ns,
                              .end_ns = s->time_ns + x->shift_ns,
                              .wait_status = s->command.running ? -1 : s->command.wait_status};
    if (!s->command.running)
        write_command(x, &x->running);
}

bool otlp_output_news(struct otlp_output *x, char *text, size_t size, bool *bad)
{
    struct delivery_state now;
    char shown[ENDPOINT_URL];
    if (!x->open)
        return false;
    delivery_look(x->delivery, &now);
    endpoint_shown(x->endpoint.url, shown, sizeof shown);
    *bad = now.away || now.lost;
    if (now.lost && !x->lossy) {
        x->lossy = true;
        print_line(text, size, "spans are lost: %.200s", now.lost_why);
        return true;
    }
    if (now.away == x->away)
        return false;
    x->away = now.away;
    if (now.away)
        print_line(text, size, "spans wait on disk: %.200s takes none: %.200s", shown, now.why);
    else
        print_line(text, size, "%.200s takes spans again", shown);
    *bad = now.away;
    return true;
}

static void end_bricks(struct otlp_output *x)
{
    char line[LINE];
    if (!x->bricks)
        return;
    otlp_bricks_end(x->bricks);
    otlp_processes_end(x->processes);
    if (otlp_bricks_missed(x->bricks)) {
        snprintf(line, sizeof line,
                 "%" PRIu64
                 " records of bricks were overwritten before they were read: their spans "
                 "are not sent",
                 otlp_bricks_missed(x->bricks));
        exit_note(line);
    }
    otlp_bricks_free(x->bricks);
    otlp_processes_free(x->processes);
    brick_stream_free(&x->stream);
}

void otlp_graph_notes(const struct otlp_graph *graph, const struct trace *t)
{
    char line[LINE];
    if (graph->undated)
        exit_note("the profile does not say the time of day: its spans end when its file was "
                  "written");
    if (graph->unended) {
        snprintf(line, sizeof line, "%" PRIu64 " span%s no end and %s left out", graph->unended,
                 graph->unended == 1 ? " has" : "s have", graph->unended == 1 ? "was" : "were");
        exit_note(line);
    }
    if (t->lost) {
        snprintf(line, sizeof line,
                 "%" PRIu64 " of %" PRIu64 " spans are only known as sums and were left out",
                 t->lost, t->spans);
        exit_note(line);
    }
}

/* --- the end --- */

void otlp_report_notes(const struct delivery_report *r, const char *url)
{
    char line[LINE], shown[ENDPOINT_URL];
    endpoint_shown(url, shown, sizeof shown);
    if (r->rejected_why[0] && !r->refused && !r->rejected) {
        print_line(line, sizeof line, "%s took all spans, and says: %s", shown, r->rejected_why);
        exit_note(line);
    }
    if (r->damaged) {
        print_line(line, sizeof line,
                   "%llu damaged files in %s were not sent: their names end in .damaged",
                   (unsigned long long)r->damaged, r->folder);
        exit_note(line);
    }
    if (r->waiting) {
        const char *late = r->messages ? " did not take all in time" : " did not answer in time";
        print_line(line, sizeof line,
                   "%llu span%s in %s, since %s%s%s; rooftop export otlp sends %s, or the next run",
                   (unsigned long long)r->waiting, r->waiting == 1 ? " waits" : "s wait", r->folder,
                   shown, r->why[0] ? " took none: " : late, r->why,
                   r->waiting == 1 ? "it" : "them");
        exit_note(line);
    }
}

int otlp_report_error(const struct delivery_report *r, const char *url, struct error *err)
{
    static const char help[] = "allow more with --otlp-spool-size, or make room there";
    char shown[160], refused[200] = "", lost[sizeof err->why] = "";
    const uint64_t n = r->refused + r->rejected;
    endpoint_shown(url, shown, sizeof shown);
    if (n)
        print_line(refused, sizeof refused, "%" PRIu64 " span%s refused%s%.90s", n,
                   n == 1 ? " was" : "s were", r->rejected_why[0] ? ": " : "", r->rejected_why);
    if (r->lost)
        print_line(lost, sizeof lost, "%" PRIu64 " span%s lost%s%.90s", r->lost,
                   r->lost == 1 ? " is" : "s are", r->lost_why[0] ? ": " : "", r->lost_why);
    if (!n && !r->lost)
        return 0;
    return error_set(err, ERROR_OUTPUT, n ? EPROTO : ENOSPC, r->lost ? help : NULL,
                     n ? shown : r->folder, "%s%s%s", refused, n && r->lost ? "; " : "", lost);
}

int otlp_output_end(struct otlp_output *x, struct error *err)
{
    static const struct watch watch = {signals_none, NULL};
    struct delivery_report report;
    struct error spool = ERROR_INIT;
    if (!x->open)
        return 0;
    x->running.end_ns = env_now_ns() + x->shift_ns;
    write_command(x, &x->running);
    end_bricks(x);
    const int full = otlp_batch_end(&x->batch, &spool);
    const struct watch *before = watch_set(&watch);
    delivery_end(x->delivery, &report);
    watch_set(before);
    otlp_report_notes(&report, x->endpoint.url);
    if (full != 0)
        report.lost = 0; /* more were lost than these: the rest of the profile was not even tried */
    int rc = otlp_report_error(&report, x->endpoint.url, err);
    if (full != 0) {
        if (rc != 0)
            exit_report(err);
        *err = spool;
        rc = full;
    }
    otlp_resource_close(&x->resource);
    endpoint_close(&x->endpoint);
    pthread_mutex_destroy(&x->lock);
    x->open = false;
    return rc;
}

void otlp_output_finish(struct otlp_output *x)
{
    struct error err = ERROR_INIT;
    if (otlp_output_end(x, &err) != 0)
        exit_report(&err);
}
