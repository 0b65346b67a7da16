/* The summary of a recorded session. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "engine/summary/summary_impl.h"

/* The rules of the verdict; each line says its own. */
#define GROWS_FIT     0.9 /* correlation with time: the growth is steady, */
#define GROWS_SHARE   0.1 /* and matters: of the first size, */
#define GROWS_LEAST_S 5.0 /* and is more than what any program takes when it begins */
#define BUSY_PERCENT  90.0
#define GAP_TIMES     3.0 /* the asked interval: longer means that samples are missing */

static const char rules[] =
    "Rules, in this order: the command failed; memory grows (for 5 s or more, correlation with "
    "time 0.9 "
    "or more, and 10 % or more of its first size); the host's CPUs are busy (90 % or more on "
    "average); "
    "samples are "
    "missing (3 times the asked interval or more between two). Slopes are by least squares over "
    "all samples.";

/* The time of day of a moment of the session, in the time zone of this host, as the head of the
 * screen shows it. */
static const char *clock_of_session(struct summary *s, const struct session_facts *f, uint64_t ns,
                                    const char *format)
{
    const time_t t = (time_t)((f->wall_ns + (ns - f->first_ns)) / 1000000000u);
    struct tm tm;
    char text[64] = "?";
    if (localtime_r(&t, &tm))
        strftime(text, sizeof text, format, &tm);
    return arena_strdup(&s->memory, text);
}

static const char *signed_bytes(struct summary *s, double v, bool ascii)
{
    return arena_printf(&s->memory, "%s%s", v < 0 ? "-" : "+",
                        summary_value(s, fabs(v), UNIT_BYTES, ascii));
}

/* Within the first second there is no rate, only the difference of the two sizes beside it. */
static const char *slope_text(struct summary *s, const struct session_number *x, bool ascii)
{
    char text[SLOPE_TEXT];
    if (isnan(x->slope))
        return "slope n/a: fewer than 3 samples";
    const double per_s = x->over_s < 1 ? (x->last - x->first) / x->over_s : x->slope;
    return arena_strdup(&s->memory, value_slope(per_s, x->over_s, UNIT_BYTES, ascii, text));
}

/* --- what it says first --- */

static bool does_grow(const struct session_number *x)
{
    return x->over_s >= GROWS_LEAST_S && x->fit >= GROWS_FIT && x->slope > 0 &&
           x->last - x->first >= GROWS_SHARE * x->first;
}

static const char *say_command_end(struct summary *s, const struct session_facts *f)
{
    const int status = f->command.wait_status;
    if (f->command.pid <= 0)
        return "";
    if (f->command.running)
        return "still running at the end";
    if (WIFSIGNALED(status))
        return arena_printf(&s->memory, "ended by signal %d", WTERMSIG(status));
    return arena_printf(&s->memory, "exit %d", WEXITSTATUS(status));
}

static void add_growth(struct summary *s, const char *whose, const struct session_number *x,
                       bool ascii)
{
    if (does_grow(x))
        summary_verdict(s, "overview", rules,
                        "%s memory grows: %s, %s in all (rule: for 5 s or more, 10 %% or more, "
                        "correlation with time 0.9 or more; it is %.2f)",
                        whose, slope_text(s, x, ascii), signed_bytes(s, x->last - x->first, ascii),
                        x->fit);
}

/* Others may make the CPUs busy that a command has to share. */
static void add_busy_host(struct summary *s, const struct session_facts *f)
{
    const bool own = f->own_cpu.n && f->host.ncpus > 0;
    const char *by = own ? arena_printf(&s->memory, ", %.1f %% by what was watched",
                                        f->own_cpu.mean / f->host.ncpus)
                         : "";
    summary_verdict(s, "overview", rules,
                    "the host's CPUs are busy: %.1f %% on average%s (rule: %.0f %% or more)",
                    f->cpu.mean, by, BUSY_PERCENT);
}

static void add_session_verdicts(struct summary *s, const struct session_facts *f, bool ascii)
{
    const bool failed = f->command.pid > 0 && !f->command.running && f->command.wait_status != 0;
    if (failed)
        summary_verdict(s, "output", rules, "the command failed: %s", say_command_end(s, f));
    add_growth(s, "its", &f->own_memory, ascii);
    if (f->own_memory.n == 0)
        add_growth(s, "the host's", &f->memory, ascii);
    if (f->cpu.n && f->cpu.mean >= BUSY_PERCENT)
        add_busy_host(s, f);
    if (f->interval_s > 0 && (double)f->gap_ns / 1e9 >= GAP_TIMES * f->interval_s)
        summary_verdict(s, "overview", rules,
                        "samples are missing: %s between two (rule: %.0f times the asked %s or "
                        "more)",
                        summary_time(s, (double)f->gap_ns, ascii), GAP_TIMES,
                        summary_time(s, 1e9 * f->interval_s, ascii));
    if (s->n == 0)
        summary_verdict(s, "overview", rules,
                        "nothing stands out: no failure, no steady growth of memory, CPUs below "
                        "%.0f %% on average, no missing samples",
                        BUSY_PERCENT);
    for (size_t i = 1; i < s->n; i++)
        s->lines[i].label = "also";
}

/* --- what was recorded --- */

static void add_watched(struct summary *s, const struct session_facts *f, bool ascii)
{
    const char *end = say_command_end(s, f);
    const bool took = f->command.pid > 0 && f->command.elapsed_s > 0;
    summary_say(s, "watched", "overview",
                "What rooftop record was told to watch. Process numbers are those of that time.",
                "%s%s%s%s%s", f->target, *end ? ": " : "", end, took ? " after " : "",
                took ? summary_time(s, 1e9 * f->command.elapsed_s, ascii) : "");
}

static void add_cpu(struct summary *s, const struct session_facts *f, const char *label,
                    const struct session_number *x, const char *of)
{
    if (x->n)
        summary_say(s, label, "overview", "The mean and the largest of all samples.",
                    "mean %.1f %%, peak %.1f %% at %s%s", x->mean, x->peak,
                    clock_of_session(s, f, x->peak_ns, "%H:%M:%S"), of);
}

static void add_memory(struct summary *s, const struct session_facts *f, const char *label,
                       const struct session_number *x, const char *of, bool ascii)
{
    if (x->n)
        summary_say(s, label, "overview",
                    "In the first and the last sample, and the slope by least squares over all.",
                    "%s at first, %s at last, %s; peak %s at %s%s",
                    summary_value(s, x->first, UNIT_BYTES, ascii),
                    summary_value(s, x->last, UNIT_BYTES, ascii), slope_text(s, x, ascii),
                    summary_value(s, x->peak, UNIT_BYTES, ascii),
                    clock_of_session(s, f, x->peak_ns, "%H:%M:%S"), of);
}

static void add_busiest(struct summary *s, const struct session_facts *f, bool ascii)
{
    const double whole_s = (double)(f->last_ns - f->first_ns) / 1e9;
    for (size_t i = 0; i < f->nbusiest; i++) {
        const struct session_busy *b = &f->busiest[i];
        const char *share =
            whole_s > 0 ? arena_printf(&s->memory, ", %.1f %% of one CPU", 100 * b->cpu_s / whole_s)
                        : "";
        summary_say(s, i == 0 ? "busiest" : "", "overview",
                    "Processes by the CPU time that they used between the first and the last "
                    "sample. One that began and ended between two samples is not seen.",
                    "%s (%d): %s of cpu%s", b->name, b->pid, summary_time(s, 1e9 * b->cpu_s, ascii),
                    share);
    }
}

static void add_moved(struct summary *s, const struct session_facts *f, bool ascii)
{
    const double *m = f->moved;
    if (isnan(m[IO_DISK]) && isnan(m[IO_NETWORK]))
        return;
    summary_say(s, "moved", "overview", "Rates times intervals, summed over all samples.",
                "disks %s, network %s",
                isnan(m[IO_DISK]) ? "n/a" : summary_value(s, m[IO_DISK], UNIT_BYTES, ascii),
                isnan(m[IO_NETWORK]) ? "n/a" : summary_value(s, m[IO_NETWORK], UNIT_BYTES, ascii));
}

static void add_session_gap(struct summary *s, const struct session_facts *f, bool ascii)
{
    if (f->frames > 1)
        summary_say(s, "longest gap", "overview", "The longest time between two samples.",
                    "%s from %s on, %s was asked for; %s",
                    summary_time(s, (double)f->gap_ns, ascii),
                    clock_of_session(s, f, f->gap_at_ns, "%H:%M:%S"),
                    summary_time(s, 1e9 * f->interval_s, ascii),
                    summary_count(s, f->late, "sample came late", "samples came late"));
}

static void add_extras(struct summary *s, const struct session_facts *f)
{
    if (f->samples)
        summary_say(s, "functions", "functions", "Call stacks, sampled while CPUs were busy.", "%s",
                    summary_count(s, f->samples, "sampled stack", "sampled stacks"));
    if (f->bricks)
        summary_say(s, "bricks", "tree", "Some samples of the session hold them.",
                    "programs with bricks ran");
    if (f->gpus)
        summary_say(s, "gpus", "gpu", "Some samples of the session hold them.", "%s, too",
                    summary_count(s, f->gpus, "GPU was measured", "GPUs were measured"));
    for (size_t i = 0; i < f->nnotices; i++)
        summary_say(s, i == 0 ? "warned" : "", NULL, "Warnings of the recording, each once.", "%s",
                    f->notices[i]);
    if (f->note)
        summary_say(s, "lost", NULL, "Found while the file was opened.", "%s", f->note);
}

void summary_add_session(struct summary *s, const struct session_facts *f, bool ascii)
{
    summary_head(s, f->host.hostname);
    summary_head(s, f->host.cpu_model);
    summary_head(s, clock_of_session(s, f, f->first_ns, "%Y-%m-%d %H:%M:%S"));
    summary_head(s, summary_time(s, (double)(f->last_ns - f->first_ns), ascii));
    summary_head(s, summary_count(s, f->frames, "sample", "samples"));
    add_session_verdicts(s, f, ascii);
    add_watched(s, f, ascii);
    add_cpu(s, f, "its cpu", &f->own_cpu, "; 100 % is one CPU");
    add_memory(s, f, "its memory", &f->own_memory, "", ascii);
    add_cpu(s, f, "host cpu", &f->cpu, arena_printf(&s->memory, ", of %d CPUs", f->host.ncpus));
    add_memory(s, f, "host memory", &f->memory,
               arena_printf(&s->memory, ", of %s",
                            summary_value(s, (double)f->host.mem_total, UNIT_BYTES, ascii)),
               ascii);
    add_busiest(s, f, ascii);
    add_moved(s, f, ascii);
    add_session_gap(s, f, ascii);
    add_extras(s, f);
}
