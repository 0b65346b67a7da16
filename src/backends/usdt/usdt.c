/* USDT probes of a command or of processes, as bricks; see docs/BRICKS.md. */
#include <stdlib.h>

#include "backends/usdt/usdt_impl.h"
#include "base/arena.h"

struct usdt_source {
    struct usdt_follow *follow; /* NULL: no probes were requested */
    char *patterns;
    bool gone; /* the target has ended and all its events were collected */
};

static void usdt_close(struct source *self)
{
    struct usdt_source *s = (struct usdt_source *)self;
    if (!s)
        return;
    usdt_follow_end(s->follow);
    free(s->patterns);
    free(s);
}

static int usdt_open(struct source **out, struct source_config *config, struct error *err)
{
    const struct target *t = config->target;
    struct usdt_source *s = xcalloc(1, sizeof *s);
    if (t->usdt && (t->kind == TARGET_COMMAND || t->kind == TARGET_PIDS)) {
        s->patterns = xstrdup(t->usdt);
        int rc = usdt_follow(&s->follow, perf_sys_current(), t, t->usdt, config->brick_folder,
                             config->command_pid, err);
        if (rc != 0) {
            usdt_close((struct source *)s);
            return rc;
        }
    }
    *out = (struct source *)s;
    return 0;
}

static void tell_matches(const struct usdt_source *s, struct snapshot *out,
                         const struct usdt_status *w)
{
    const char *text;
    if (w->pairs == 0) {
        text = w->near[0]
                   ? snapshot_printf(out, "no pair of probes matches '%s'; there are %s",
                                     s->patterns, w->near)
                   : snapshot_printf(out, "nothing that the program has loaded has probes of '%s'",
                                     s->patterns);
        snapshot_add_notice(out, NOTICE_WARN, "usdt.none", text,
                            "rooftop doctor usdt PROGRAM lists its probes");
    } else if (w->refused > 0) {
        text = snapshot_printf(out, "%zu of %zu places of probes are not watched: %s", w->refused,
                               w->refused + w->places, w->why);
        snapshot_add_notice(out, NOTICE_WARN, "usdt.refused", text, NULL);
    } else if (w->totals.spans == 0) {
        text = snapshot_printf(out, "no probe of '%s' was passed", s->patterns);
        snapshot_add_notice(out, NOTICE_INFO, "usdt.quiet", text, NULL);
    }
}

static void tell_losses(struct snapshot *out, const struct usdt_status *w)
{
    const struct spans_totals *t = &w->totals;
    if (w->lost > 0)
        snapshot_add_notice(
            out, NOTICE_WARN, "usdt.lost",
            snapshot_printf(out, "%llu moments at probes were lost: the buffers were full",
                            (unsigned long long)w->lost),
            "watch fewer probes");
    if (t->dropped > 0)
        snapshot_add_notice(out, NOTICE_WARN, "usdt.dropped",
                            snapshot_printf(out,
                                            "%llu spans of probes found no room: more than %d "
                                            "inside of each other, or too many threads",
                                            (unsigned long long)t->dropped, SPANS_DEPTH),
                            NULL);
    uint64_t lone = t->lone_begins + t->lone_ends;
    /* a few are normal: spans that were open at the start */
    if (lone > 16 && lone > t->spans / 100)
        snapshot_add_notice(
            out, NOTICE_INFO, "usdt.lone",
            snapshot_printf(out, "of probes, %llu begins without an end, %llu ends without a begin",
                            (unsigned long long)t->lone_begins, (unsigned long long)t->lone_ends),
            "is that the pair? PROVIDER:BEGIN..END names one");
}

static void usdt_poll(struct source *self, struct snapshot *out, uint64_t now_ns)
{
    struct usdt_source *s = (struct usdt_source *)self;
    struct usdt_status status;
    (void)now_ns;
    if (!s->follow)
        return;
    usdt_follow_collect(s->follow, out->target_gone && !s->gone, &status);
    s->gone = out->target_gone;
    tell_matches(s, out, &status);
    tell_losses(out, &status);
}

const struct source_ops source_usdt = {
    .name = "usdt",
    .summary = "USDT probes of programs, in pairs, as bricks: --usdt",
    .probe = usdt_probe_finding,
    .open = usdt_open,
    .poll = usdt_poll,
    .close = usdt_close,
};
