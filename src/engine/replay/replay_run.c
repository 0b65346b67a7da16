#include "engine/replay/replay_run.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/exit_code.h"
#include "engine/replay/replay_json.h"
#include "engine/value/document.h"
#include "engine/value/value.h"

static const char *const job_names[REPLAY_JOBS] = {"full-vm", "compare", "reserve-check"};
const char *replay_job_name(enum replay_job job)
{
    return job_names[job];
}

void replay_run_start(struct replay_run *run, enum replay_job job, uint64_t now_ns)
{
    replay_run_free(run);
    run->job = job;
    run->began_ns = now_ns;
}

void replay_run_free(struct replay_run *run)
{
    free(run->samples);
    free(run->variant);
    replay_result_free(&run->result);
    *run = (struct replay_run){0};
}

/* --- progress --- */

double replay_run_left(const struct replay_run *run, uint64_t now_ns)
{
    if (replay_run_over(run) || !run->done || run->done > run->total ||
        now_ns <= run->stage_since_ns)
        return NAN;
    return (double)(now_ns - run->stage_since_ns) / 1e9 / (double)run->done *
           (double)(run->total - run->done);
}

const char *replay_run_progress(const struct replay_run *run, uint64_t now_ns, bool ascii,
                                char out[REPLAY_PROGRESS_MAX])
{
    const bool bytes = run->stage == REPLAY_STAGE_CHECK || run->stage == REPLAY_STAGE_RESTORE ||
                       run->stage == REPLAY_STAGE_VERIFY;
    const double seconds = replay_run_left(run, now_ns);
    const struct value done = value_ok((double)run->done, UNIT_BYTES),
                       total = value_ok((double)run->total, UNIT_BYTES),
                       left = value_ok(seconds, UNIT_SECONDS);
    char a[VALUE_TEXT_MAX], b[VALUE_TEXT_MAX];
    int n = 0;
    out[0] = '\0';
    if (!run->total || replay_run_over(run))
        return out;
    if (bytes)
        n = snprintf(out, REPLAY_PROGRESS_MAX, "%s of %s", value_format(&done, ascii, a),
                     value_format(&total, ascii, b));
    else
        n = snprintf(out, REPLAY_PROGRESS_MAX, "%" PRIu64 " of %" PRIu64 " %s", run->done,
                     run->total, run->stage == REPLAY_STAGE_RUN ? "iterations" : "regions");
    if (run->stage == REPLAY_STAGE_RESTORE && run->restore_rate > 0) {
        const struct value rate = value_ok(run->restore_rate, UNIT_BYTES_PER_S);
        n += snprintf(out + n, REPLAY_PROGRESS_MAX - (size_t)n, ", %s",
                      value_format(&rate, ascii, a));
    }
    if (isfinite(seconds))
        snprintf(out + n, REPLAY_PROGRESS_MAX - (size_t)n, ", %s left",
                 value_format(&left, ascii, a));
    return out;
}

/* --- events --- */

static bool on_stage(struct replay_run *run, const cJSON *o, uint64_t now_ns)
{
    enum replay_stage stage = replay_stage_find(replay_json_text(o, "name"));
    if (stage == REPLAY_STAGES)
        return false;
    if (stage != run->stage || !run->stage_since_ns)
        run->stage_since_ns = now_ns;
    run->stage = stage;
    run->stages |= 1u << stage;
    run->done = replay_json_u64(o, "done");
    run->total = replay_json_u64(o, "total");
    if (run->total && run->done > run->total)
        run->done = run->total;
    if (stage != REPLAY_STAGE_RESTORE || run->n)
        return true;
    if (!run->restore_since_ns)
        run->restore_since_ns = now_ns;
    if (now_ns > run->restore_since_ns && run->done)
        run->restore_rate = (double)run->done * 1e9 / (double)(now_ns - run->restore_since_ns);
    return true;
}

static bool on_iteration(struct replay_run *run, const cJSON *o)
{
    double us = replay_json_number(o, "microseconds");
    uint64_t variant = replay_json_u64(o, "variant");
    if (isnan(us) || us < 0 || variant >= REPLAY_VARIANTS_MAX)
        return false;
    run->iterations++;
    if (run->n == REPLAY_SAMPLES_MAX)
        return true;
    if (run->n == run->cap) {
        run->cap = run->cap ? 2 * run->cap : 256;
        run->samples = xrealloc(run->samples, run->cap, sizeof *run->samples);
        run->variant = xrealloc(run->variant, run->cap, sizeof *run->variant);
    }
    run->samples[run->n] = us;
    run->variant[run->n++] = (uint8_t)variant;
    return true;
}

static bool on_result(struct replay_run *run, const cJSON *o)
{
    const cJSON *document = cJSON_GetObjectItemCaseSensitive(o, "result");
    struct replay_result fresh;
    char *text = cJSON_IsObject(document) ? json_document(document, false) : NULL;
    if (!text)
        return false;
    int rc = replay_result_parse(&fresh, text, strlen(text));
    cJSON_free(text);
    if (rc != 0) {
        replay_result_free(&fresh);
        return false;
    }
    replay_result_free(&run->result);
    run->result = fresh;
    run->has_result = true;
    return true;
}

static bool take_error_message(struct replay_run *run, const cJSON *o)
{
    const char *message = replay_json_text(o, "message");
    run->has_error = true;
    run->kind = replay_kind_find(replay_json_text(o, "kind"));
    /* compare names the variant that failed */
    const char *variant = replay_json_text(o, "variant");
    snprintf(run->message, sizeof run->message, "%.200s%s%s", variant ? variant : "",
             variant ? ": " : "", message ? message : "");
    const cJSON *note;
    cJSON_ArrayForEach(note, cJSON_GetObjectItemCaseSensitive(o, "notes"))
    {
        const size_t used = strlen(run->message);
        if (cJSON_IsString(note))
            snprintf(run->message + used, sizeof run->message - used, "; %s", note->valuestring);
    }
    if (replay_json_has(o, "address")) {
        run->has_address = true;
        run->address = replay_json_u64(o, "address");
        run->region = replay_json_u64(o, "region");
    }
    return true;
}

void replay_run_line(struct replay_run *run, const char *line, size_t n, uint64_t now_ns)
{
    bool known = false;
    if (replay_run_over(run) || n == 0)
        return;
    cJSON *o = cJSON_ParseWithLength(line, n);
    const char *event = replay_json_text(o, "event");
    if (event && strcmp(event, "stage") == 0)
        known = on_stage(run, o, now_ns);
    else if (event && strcmp(event, "iteration") == 0)
        known = on_iteration(run, o);
    else if (event && strcmp(event, "result") == 0)
        known = on_result(run, o);
    else if (event && strcmp(event, "error") == 0)
        known = take_error_message(run, o);
    /* lines of reserve-check, which the result sums up */
    else if (event && strcmp(event, "region") == 0)
        known = true;
    run->junk += !known;
    cJSON_Delete(o);
}

/* ROCr prints this before it aborts: "Memory access fault by GPU node-1 (Agent handle: 0x…) on
 * address 0x7f…. Reason: …" (runtime.cpp, VMFaultHandler). */
static void read_fault(struct replay_run *run)
{
    const char *at = strstr(run->said, "on address 0x");
    if (!strstr(run->said, "Memory access fault by GPU") || !at || run->has_error)
        return;
    run->kind = REPLAY_FAULT;
    run->has_address = true;
    run->address = strtoull(at + strlen("on address "), NULL, 16);
    snprintf(run->message, sizeof run->message, "%s", run->said);
}

void replay_run_said(struct replay_run *run, const char *line, size_t n)
{
    size_t used = 0;
    if (replay_run_over(run))
        return;
    char text[REPLAY_TEXT_MAX];
    for (size_t i = 0; i < n && used + 1 < sizeof text; i++)
        text[used++] = (unsigned char)line[i] < ' ' ? ' ' : line[i];
    text[used] = '\0';
    if (used == 0 || strspn(text, " ") == used)
        return;
    memcpy(run->said, text, used + 1);
    read_fault(run);
}

/* --- the end --- */

static void fail_run(struct replay_run *run, enum replay_kind kind, const char *why)
{
    run->state = REPLAY_FAILED;
    run->kind = kind;
    snprintf(run->message, sizeof run->message, "%.200s%s%.280s", why, run->said[0] ? ": " : "",
             run->said);
}

/* docs/CAPTURE.md, "Exit status". */
static const struct {
    int code;
    enum replay_kind kind;
    const char *why;
} exits[] = {
    {EXIT_DONE, REPLAY_INTERNAL, "it ended without a result"},
    {EXIT_FAILED, REPLAY_MEMORY, "a guarantee of the replay was not kept"},
    {EXIT_USAGE, REPLAY_INTERNAL, "it did not take its options"},
    {EXIT_INPUT, REPLAY_CAPTURE, "the capture is damaged or not one"},
    {EXIT_UNSUPPORTED, REPLAY_RUNTIME, "this host cannot replay it"},
    {EXIT_DIFFERS, REPLAY_MEMORY, "memory differs from what was captured"},
    {EXIT_GPU, REPLAY_FAULT, "the GPU faulted"},
    {EXIT_TIMEOUT, REPLAY_TIMEOUT, "the dispatch did not complete in the time given"},
};

static void explain_exit(struct replay_run *run, int code)
{
    char why[80];
    for (size_t i = 0; i < sizeof exits / sizeof *exits; i++)
        if (exits[i].code == code) {
            fail_run(run, exits[i].kind, exits[i].why);
            return;
        }
    snprintf(why, sizeof why, "it ended with status %d and without a result", code);
    fail_run(run, REPLAY_INTERNAL, why);
}

static void explain_signal(struct replay_run *run, int signo)
{
    char why[160];
    if (run->kind == REPLAY_FAULT) { /* the runtime reported the fault before it aborted */
        run->state = REPLAY_FAILED;
        return;
    }
    snprintf(why, sizeof why, "it was ended by signal %d (%s) in stage %s", signo, strsignal(signo),
             replay_stage_name(run->stage));
    fail_run(run, REPLAY_INTERNAL, why);
}

/* The child ended without our doing: the reason is what it reported, or how it ended. */
static void end_own(struct replay_run *run, int status)
{
    bool exited = status >= 0 && WIFEXITED(status);
    if (run->has_error)
        run->state = REPLAY_FAILED;
    else if (status >= 0 && WIFSIGNALED(status))
        explain_signal(run, WTERMSIG(status));
    else if (run->has_result)
        run->state = REPLAY_DONE;
    else if (exited)
        explain_exit(run, WEXITSTATUS(status));
    else
        fail_run(run, REPLAY_INTERNAL, "its process has disappeared");
}

void replay_run_end(struct replay_run *run, enum replay_end end, int status, double timeout_s,
                    uint64_t now_ns)
{
    char why[160];
    if (replay_run_over(run))
        return;
    run->ended_ns = now_ns;
    switch (end) {
    case REPLAY_END_CANCEL:
        /* a result that was printed before the request to end arrived still counts */
        if (run->has_result && status >= 0 && WIFEXITED(status))
            end_own(run, status);
        else
            run->state = REPLAY_CANCELLED;
        break;
    case REPLAY_END_TIMEOUT:
        snprintf(why, sizeof why, "it did not end within %g s, and was ended in stage %s",
                 timeout_s, replay_stage_name(run->stage));
        fail_run(run, REPLAY_TIMEOUT, why);
        break;
    case REPLAY_END_JUNK:
        fail_run(run, REPLAY_INTERNAL, "its output was not that of a replay, so it was ended");
        break;
    case REPLAY_END_OWN:
        end_own(run, status);
        break;
    }
}
