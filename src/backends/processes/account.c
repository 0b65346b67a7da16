#include "backends/processes/processes_impl.h"

static void set_whole_account(struct cpu_account *c, struct value v)
{
    c->processes = c->ended = c->rest = v;
}

static int64_t clamp_ticks(int64_t v, int64_t low, int64_t high)
{
    if (v < low)
        return low;
    return v > high ? high : v;
}

/* Takes the time of ended processes, limited to what the machine used besides the living ones, so
 * that a child that was counted twice makes no spike. Parents and /proc/stat are not read at the
 * same moment, so an amount may appear a poll too early or too late: half of the rest is carried to
 * the next poll. Not all of it, because the time of children whose parent ignores SIGCHLD would
 * stay missing for ever. */
static int64_t take_ended(struct account *a, int64_t room)
{
    int64_t ended = clamp_ticks(a->ended, 0, room > 0 ? room : 0);
    a->ended = (a->ended - ended) / 2;
    return ended;
}

/* Adds a gauge, so that each value has a history and an explanation. */
static void add_gauge(struct snapshot *out, const char *name, const char *desc,
                      const struct value *v)
{
    struct counter *c = snapshot_add_counter(out);
    *c = (struct counter){.name = name,
                          .spec = "/proc/PID/stat and /proc/stat",
                          .desc = desc,
                          .source = "proc",
                          .set = "system",
                          .group = -1,
                          .gauge = true,
                          .delta = *v,
                          .rate = *v};
}

static void add_gauges(struct snapshot *out)
{
    const struct cpu_account *c = &out->account;
    add_gauge(
        out, "cpu-ended",
        "CPU time of processes that ended since the sample before, in % of one CPU: what their "
        "parents were told by wait (proc(5), /proc/PID/stat cutime and cstime), less what had "
        "been shown of them.",
        &c->ended);
    add_gauge(
        out, "cpu-unattributed",
        "User and system time of all CPUs that is neither of the processes listed nor of ended "
        "ones, in % of one CPU: hidden processes, other containers, children that nobody waited "
        "for.",
        &c->rest);
}

void account_fill(struct account *a, struct snapshot *out, const struct system_tick *tick,
                  uint64_t hz)
{
    struct cpu_account *c = &out->account;
    double scale = out->interval_s > 0 ? 100 / (double)hz / out->interval_s : 0;
    *c = (struct cpu_account){.nended = a->nended, .parent = a->parent};
    if (!tick->have_busy || scale <= 0) {
        const struct value *total = &out->total.busy;
        set_whole_account(c, total->validity == VALUE_MISSING
                                 ? value_missing(total->why, UNIT_PERCENT)
                                 : value_pending(UNIT_PERCENT));
        *a = (struct account){0};
        add_gauges(out);
        return;
    }
    int64_t busy = tick->busy_ticks < INT32_MAX ? (int64_t)tick->busy_ticks : INT32_MAX;
    int64_t room = busy - a->live + a->rest, ended = take_ended(a, room), rest = room - ended;
    c->processes = value_ok((double)a->live * scale, UNIT_PERCENT);
    c->ended = value_ok((double)ended * scale, UNIT_PERCENT);
    c->rest = value_ok((double)(rest > 0 ? rest : 0) * scale, UNIT_PERCENT);
    if (ended == 0)
        c->parent = 0;
    add_gauges(out);
    *a = (struct account){.ended = a->ended, .rest = clamp_ticks(rest, -(int64_t)hz, 0)};
}
