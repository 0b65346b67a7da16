#include "backends/judge/judge_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/perf_common/explain.h"
#include "backends/perf_common/open.h"
#include "backends/perf_event/encoding.h"
#include "base/arena.h"

/* The least share of its time that an event must have been counted. With less it shared its counter
 * with other events, and the kernel would only estimate the count. */
static const double LEAST_SHARE = 0.99;

struct sandbox_counter {
    const struct perf_sys *sys;
    struct perf_encoding *events; /* one for each kind of core */
    size_t n;
    struct perf_group *groups;
};

static struct plan_group plan_of(struct perf_encoding *event)
{
    return (struct plan_group){.members = event, .n = 1, .domain = PLAN_CORE, .cost = 1};
}

static void say_why(const struct perf_sys *sys, int rc, const struct perf_encoding *event,
                    char *why)
{
    struct perf_context context;
    struct explanation x;
    perf_context_read(&context, sys);
    const struct explain_query q = {
        .err = -rc, .kind = TARGET_PIDS, .pmu = event->pmu, .owner = context.uid};
    explain(&context, &q, &x);
    snprintf(why, SANDBOX_WHY, "%.159s", x.why);
}

struct sandbox_counter *sandbox_counter_open(const struct perf_sys *sys, pid_t pid, char *why)
{
    struct sandbox_counter *c = xcalloc(1, sizeof *c);
    struct error err = ERROR_INIT;
    c->sys = sys;
    int rc = event_resolve_all("instructions:u", &c->events, &c->n, &err);
    if (rc != 0) {
        snprintf(why, SANDBOX_WHY, "%.159s", err.why);
        sandbox_counter_close(c);
        return NULL;
    }
    c->groups = xcalloc(c->n, sizeof *c->groups);
    for (size_t i = 0; i < c->n && rc == 0; i++) {
        const struct plan_group plan = plan_of(&c->events[i]);
        rc = group_open(&c->groups[i], sys, &plan, &(struct group_where){.pid = pid, .cpu = -1});
        if (rc != 0)
            say_why(sys, rc, &c->events[i], why);
    }
    if (rc == 0)
        return c;
    sandbox_counter_close(c);
    return NULL;
}

double sandbox_counter_take(struct sandbox_counter *c, char *why)
{
    struct count sum = {0};
    for (size_t i = 0; i < c->n; i++) {
        const struct plan_group plan = plan_of(&c->events[i]);
        struct count one;
        const int rc = group_read(&c->groups[i], c->sys, &plan, &one);
        if (rc != 0) {
            snprintf(why, SANDBOX_WHY, "the count cannot be read: %s", strerror(-rc));
            return NAN;
        }
        sum.value += one.value;
        sum.running += one.running;
        sum.enabled = one.enabled > sum.enabled ? one.enabled : sum.enabled;
    }
    if ((double)sum.running < LEAST_SHARE * (double)sum.enabled) {
        snprintf(why, SANDBOX_WHY, "the PMU was shared with others");
        return NAN;
    }
    /* no process makes a call without an instruction: some virtual PMUs accept an event, and stay
     * at 0 */
    if (sum.value == 0) {
        snprintf(why, SANDBOX_WHY, "the PMU accepts the event and counts nothing");
        return NAN;
    }
    return (double)sum.value;
}

void sandbox_counter_close(struct sandbox_counter *c)
{
    if (!c)
        return;
    for (size_t i = 0; c->groups && i < c->n; i++)
        group_close(&c->groups[i], c->sys);
    free(c->groups);
    free(c->events);
    free(c);
}
