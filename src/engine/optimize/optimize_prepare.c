/* The beginning of a run, or of its continuation: the folder, the log, and the judgement of the
 * source against itself. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/print.h"
#include "base/watch.h"
#include "engine/optimize/optimize_impl.h"
#include "engine/reproduce/copy_tree.h"
#include "engine/value/text_file.h"

static const double ITSELF_S =
    5; /* long enough to detect an unstable source; the verdict need not be decided */

static void tell_preparation(const struct optimizing *o, const char *what)
{
    if (o->plan->hands.tell)
        o->plan->hands.tell(o->plan->hands.ctx, NULL, what);
}

static int read_source(const struct optimizing *o, struct optimize_begin *b, struct error *err)
{
    struct optimize_result *r = o->result;
    const struct optimize_plan *plan = o->plan;
    const int rc =
        text_file_read_most(&r->original, &r->n_original, plan->source, PROPOSAL_BYTES, err);
    if (rc != 0)
        return rc;
    if (r->n_original == 0 || memchr(r->original, '\0', r->n_original))
        return error_set(err, ERROR_INPUT, EINVAL, NULL, plan->source, "it is no text");
    if (strlen(plan->source) >= sizeof b->source || strlen(plan->build) >= sizeof b->build)
        return error_set(err, ERROR_USAGE, ENAMETOOLONG, NULL, plan->source,
                         "its path or the build command is longer than 511 bytes");
    snprintf(b->source, sizeof b->source, "%s", plan->source);
    snprintf(b->build, sizeof b->build, "%s", plan->build);
    snprintf(b->target, sizeof b->target, "%s", plan->target->name);
    snprintf(b->function, sizeof b->function, "%s", plan->target->function);
    b->source_hash = hash_bytes(0, r->original, r->n_original);
    b->target_hash = plan->target->hash;
    b->min_gain = plan->min_gain;
    return 0;
}

/* --- folder and log --- */

/* What differs from the run whose log is there, as a sentence; NULL: it is the same run. */
static const char *find_run_difference(const struct optimize_log *l, const struct optimize_begin *b)
{
    const struct optimize_begin *was = &l->begin;
    if (!l->begun)
        return "its log is empty";
    if (was->source_hash != b->source_hash)
        return "the source has changed since";
    if (strcmp(was->target, b->target) != 0)
        return "it was judged by another kind of target";
    if (was->target_hash != b->target_hash)
        return "the target has changed since";
    if (strcmp(was->function, b->function) != 0 || strcmp(was->build, b->build) != 0)
        return "the function or the build command is another one";
    return was->min_gain == b->min_gain ? NULL : "--min-gain is another one";
}

static int same_run(const struct optimizing *o, const struct optimize_begin *b, struct error *err)
{
    const struct optimize_begin *was = &o->result->log.begin;
    const struct optimize_log *l = &o->result->log;
    for (size_t i = 0; i < l->n && was->source_hash != b->source_hash; i++)
        if (l->list[i].step == OPTIMIZE_CANDIDATE && l->list[i].hash == b->source_hash)
            return error_set(err, ERROR_INPUT, EINVAL, "begin another run: without --resume",
                             o->plan->folder, "the source is candidate %u of this run already",
                             l->list[i].number);
    const char *other = find_run_difference(l, b);
    return other ? error_set(err, ERROR_INPUT, EINVAL, "begin another run: without --resume",
                             o->plan->folder, "%s", other)
                 : 0;
}

/* Opens the log, and locks it until the descriptor is closed. */
static int open_log(struct optimizing *o, int flags, struct error *err)
{
    char path[OPTIMIZE_PATH];
    struct stat st;
    snprintf(path, sizeof path, "%.400s/log.jsonl", o->plan->folder);
    o->log = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
    if (o->log < 0) {
        const int code = errno;
        const bool output = flags || code == EROFS || code == EACCES || code == EPERM;
        return error_set(err, output ? ERROR_OUTPUT : ERROR_INPUT, code, NULL, path, "%s",
                         strerror(code));
    }
    if (fstat(o->log, &st) != 0 || !S_ISREG(st.st_mode)) /* a fifo is read for ever */
        return error_set(err, ERROR_INPUT, EINVAL, NULL, path, "it is no regular file");
    const struct flock all = {.l_type = F_WRLCK}; /* asked for by who shows the run */
    if (fcntl(o->log, F_OFD_SETLK, &all) != 0)
        return error_set(err, ERROR_OUTPUT, errno, "wait until it has ended", path,
                         "another rooftop works in this folder");
    return 0;
}

static int begin_run(struct optimizing *o, const struct optimize_begin *b, struct error *err)
{
    const char *folder = o->plan->folder;
    struct stat st;
    if (mkdir(folder, 0700) != 0) {
        const int code = errno;
        if (code != EEXIST)
            return error_set(err, ERROR_OUTPUT, code, NULL, folder, "%s", strerror(code));
        const bool is_folder = stat(folder, &st) == 0 && S_ISDIR(st.st_mode);
        return error_set(err, ERROR_OUTPUT, code,
                         is_folder ? "go on with --resume, or name another with --folder"
                                   : "name another with --folder",
                         folder, is_folder ? "it is there" : "it is there, and is no folder");
    }
    const int rc = open_log(o, O_CREAT | O_EXCL, err);
    if (rc == 0)
        o->result->log.begin = *b;
    return rc ? rc : optimize_log_begin(o->log, b, err);
}

static int resume_run(struct optimizing *o, const struct optimize_begin *b, struct error *err)
{
    char path[OPTIMIZE_PATH], text[128];
    struct optimize_log *l = &o->result->log;
    snprintf(path, sizeof path, "%.400s/log.jsonl", o->plan->folder);
    if (rmdir(o->plan->folder) == 0) /* it was empty: the run ended before there was a log */
        return begin_run(o, b, err);
    int rc = open_log(o, 0, err);
    if (rc == 0)
        rc = optimize_log_read(l, path, err);
    if (rc == 0 && l->partial) {
        print_line(text, sizeof text, "the log's last line was not finished: %zu bytes left out",
                   l->partial);
        tell_preparation(o, text);
        if (ftruncate(o->log, (off_t)l->whole) != 0)
            return error_set(err, ERROR_OUTPUT, errno, NULL, path, "%s", strerror(errno));
    }
    if (rc == 0 && !l->begun && l->whole == 0) { /* it ended before the first line was whole */
        l->begin = *b;
        l->begun = true;
        return optimize_log_begin(o->log, b, err);
    }
    return rc ? rc : same_run(o, b, err);
}

/* --- the source, built twice --- */

static int build_to(const struct optimizing *o, const char *source, const char *object,
                    uint64_t *hash, struct error *err)
{
    struct optimize_build b = {.ok = false};
    o->plan->hands.build(o->plan->hands.ctx, source, object, &b);
    if (watch_given_up())
        return watch_check("optimize", err);
    if (!b.ok || access(object, R_OK) != 0) {
        const int rc = optimize_check_space(o, err);
        if (rc)
            return rc;
        return error_set(err, ERROR_INPUT, EINVAL, "--build names the command", o->plan->source,
                         "it does not build: %.60s%s%.150s",
                         b.ok ? "the command made no {out}" : b.status, *b.messages ? ": " : "",
                         b.messages);
    }
    *hash = optimize_code_hash(o, object, err);
    return *hash ? 0 : -EIO;
}

static int end_as_unstable(struct optimizing *o, const char *why)
{
    snprintf(o->result->why, sizeof o->result->why, "%s", why);
    o->result->stop = OPTIMIZE_STOP_UNSTABLE;
    return 1;
}

static bool is_judged_same(const struct optimize_record *r)
{
    return r->outcome == OPTIMIZE_EQUIVALENT || r->outcome == OPTIMIZE_NOT_DECIDED;
}

/* Judges the source against itself: if it is called faster than itself, verdicts about
 * candidates mean nothing. One verdict in a hundred may be wrong, so two are needed. */
static int judge_itself(struct optimizing *o, const struct attempt *a, const char *again,
                        struct error *err)
{
    const double for_s = o->plan->each_s < ITSELF_S ? o->plan->each_s : ITSELF_S;
    struct optimize_record r = a->record;
    char text[PROPOSAL_EVIDENCE];
    tell_preparation(o, "the source against itself");
    int rc = attempt_judge(o, a->object, again, for_s, &r, err);
    if (rc == 0 && !is_judged_same(&r)) {
        r = a->record;
        rc = attempt_judge(o, a->object, again, for_s, &r, err);
    }
    if (rc == 0)
        rc = optimize_add(o, &r, err);
    if (rc != 0 || is_judged_same(&r))
        return rc;
    if (r.outcome == OPTIMIZE_REFUSED && strcmp(r.guard, judge_guard_name(GUARD_BLIND)) == 0) {
        snprintf(o->result->why, sizeof o->result->why, "%s", r.evidence);
        o->result->stop = OPTIMIZE_STOP_BLIND;
        return 1;
    }
    snprintf(text, sizeof text, "against itself it is %s: %s%s%.200s",
             optimize_outcome_name(r.outcome), r.guard, *r.guard ? ": " : "", r.evidence);
    return end_as_unstable(o, text);
}

static void begin_bases(struct optimizing *o, const struct optimize_record *source)
{
    const size_t n = o->result->n_original;
    char *text = xcalloc(1, n + 1);
    memcpy(text, o->result->original, n);
    optimize_base_add(o, source, text, n);
}

static int build_source(struct optimizing *o, struct error *err)
{
    static const struct interval none = {NAN, NAN, NAN};
    struct attempt a = {.record = {.step = OPTIMIZE_BASELINE,
                                   .warm = none,
                                   .cold = none,
                                   .confirmed = none,
                                   .baseline_ns = NAN,
                                   .candidate_ns = NAN}};
    const struct optimize_log *l = &o->result->log;
    char again[OPTIMIZE_PATH], why[OPTIMIZE_WHY], text[PROPOSAL_EVIDENCE];
    uint64_t second = 0;
    optimize_object(o, 0, true, again);
    tell_preparation(o, "the source is built twice");
    optimize_now(o, OPTIMIZE_BUILDS_SOURCE, &a.record, NULL);
    int rc = optimize_make_attempt(o, &a, 0, err);
    if (rc == 0)
        rc = copy_text(o->result->original, o->result->n_original, a.source, 0600, err);
    if (rc == 0)
        rc = build_to(o, a.source, a.object, &a.record.object, err);
    if (rc == 0)
        rc = build_to(o, a.source, again, &second, err);
    if (rc != 0)
        return rc;
    a.record.hash = o->result->log.begin.source_hash;
    begin_bases(o, &a.record);
    const enum build_relation said =
        optimize_compare(a.object, again, second == a.record.object, why);
    if (second != a.record.object) {
        snprintf(text, sizeof text, "two builds of the source gave different code%s%s",
                 said == BUILD_OTHER ? ": " : "", said == BUILD_OTHER ? why : "");
        return end_as_unstable(o, text);
    }
    if (said == BUILD_EXPLAINED)
        snprintf(a.record.evidence, sizeof a.record.evidence, "two builds of it differ only in %s",
                 why);
    for (size_t i = 0; i < l->n; i++)
        if (l->list[i].step == OPTIMIZE_BASELINE)
            return l->list[i].object == second
                       ? 0
                       : end_as_unstable(o,
                                         "the source builds to other code than when the run began");
    return judge_itself(o, &a, again, err);
}

/* --- what was kept before --- */

/* Reads a base's text. The source was read. */
static int load_base(const struct optimizing *o, struct optimize_base *b, uint64_t hash,
                     struct error *err)
{
    char path[OPTIMIZE_PATH];
    struct error ignored = ERROR_INIT;
    optimize_object(o, b->number, false, path);
    const int rc = optimize_text(o, b->number, &b->text, &b->n, err);
    if (rc == 0 && (hash_bytes(0, b->text, b->n) != hash ||
                    optimize_code_hash(o, path, &ignored) != b->object))
        return error_set(err, ERROR_INPUT, EINVAL, "begin another run: without --resume",
                         o->plan->folder, "the files of candidate %u have changed", b->number);
    return rc;
}

static int take_past(struct optimizing *o, struct error *err)
{
    const struct optimize_log *l = &o->result->log;
    int rc = 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct optimize_record *r = &l->list[i];
        if (r->step != OPTIMIZE_CANDIDATE)
            continue;
        o->last = r->number > o->last ? r->number : o->last;
        o->without_gain = r->outcome == OPTIMIZE_FASTER ? 0 : o->without_gain + 1;
        optimize_base_add(o, r, NULL, 0);
    }
    for (size_t k = 0; k < o->nbases; k++)
        for (size_t i = 0; i < l->n && rc == 0 && !o->bases[k].text; i++)
            if (l->list[i].step == OPTIMIZE_CANDIDATE && l->list[i].number == o->bases[k].number)
                rc = load_base(o, &o->bases[k], l->list[i].hash, err);
    return rc;
}

int optimize_prepare(struct optimizing *o, struct error *err)
{
    struct optimize_begin b = {.min_gain = 0};
    int rc = read_source(o, &b, err);
    if (rc == 0)
        rc = o->plan->resume ? resume_run(o, &b, err) : begin_run(o, &b, err);
    if (rc != 0)
        return rc;
    rc = build_source(o, err);
    return rc ? rc : take_past(o, err);
}
