#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plural.h"
#include "base/shell_word.h"
#include "cli/capture/capture_report.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/output.h"
#include "engine/value/document.h"
#include "engine/value/record.h"
#include "engine/value/record_rows.h"
#include "engine/value/value.h"

enum { KERNELS_TOLD = 8 };

static const char *format_capture_bytes(uint64_t n, char out[VALUE_TEXT_MAX])
{
    const struct value v = value_ok((double)n, UNIT_BYTES);
    return value_format(&v, 1, out);
}

static const char *format_capture_seconds(uint64_t ns, char out[VALUE_TEXT_MAX])
{
    const struct value v = value_ok((double)ns / 1e9, UNIT_SECONDS);
    return value_format(&v, 1, out);
}

static bool is_our_capture(const struct capture_report *r, const struct capturer_result *one)
{
    return one->request == r->number;
}

/* A capture that is complete on disk counts, even if the program crashed afterwards. */
static bool is_kernel_captured(const struct capturer_result *r)
{
    return r->whole && !r->failed;
}

static const char *explain_failed_capture(const struct capturer_result *r)
{
    if (r->ended)
        return r->why;
    return r->whole ? "the program ended before its kernel did: memory after it is not known"
                    : "the program ended before it was finished";
}

static void tell_capture_result(const struct capturer_result *r)
{
    char line[1000], size[VALUE_TEXT_MAX], stored[VALUE_TEXT_MAX], pause[VALUE_TEXT_MAX];
    char launch[LAUNCH_TEXT];
    uint32_t blocks[3];
    if (!is_kernel_captured(r))
        snprintf(line, sizeof line, "not captured: dispatch %llu of %.300s: %.250s%s%.300s",
                 (unsigned long long)r->index, r->kernel, explain_failed_capture(r),
                 *r->path ? "; what there is, is in " : "", r->path);
    else
        snprintf(line, sizeof line,
                 "captured %.400s: dispatch %llu of %.200s, %s; "
                 "%s in %u %s, %s on disk; the program paused for %s",
                 r->path, (unsigned long long)r->index, r->kernel,
                 value_launch(value_blocks(r->grid, r->block, blocks), r->block, launch),
                 format_capture_bytes(r->bytes, size), r->regions,
                 plural(r->regions, "region", "regions"), format_capture_bytes(r->stored, stored),
                 format_capture_seconds(r->pause_ns, pause));
    exit_note(line);
    if (!is_kernel_captured(r))
        return;
    if (*explain_failed_capture(r))
        exit_note(explain_failed_capture(r));
    if (r->unread) {
        snprintf(line, sizeof line, "%u of its regions could not be read: see memory_regions.json",
                 r->unread);
        exit_note(line);
    }
    if (!r->drained)
        exit_note("work of other queues may have been under way while memory was read");
    char then[600], *name = shell_path(r->path);
    snprintf(then, sizeof then, "replay it: rooftop gpu replay full-vm --capture-dir %.500s", name);
    output_written(r->path, NAN, then);
    free(name);
}

static int print_failure(enum error_kind kind, const char *help, const char *why)
{
    struct error err = ERROR_INIT;
    error_set(&err, kind, 0, help, "gpu capture", "%s", why);
    return exit_report(&err);
}

static int tell_not_loaded(const struct capturer_state *s)
{
    if (*s->message)
        exit_note(s->message);
    return print_failure(
        ERROR_UNSUPPORTED,
        "is it a program for AMD's GPUs? It must load libhsa-runtime64.so itself (not have "
        "it linked in statically), keep the environment (not set-user-ID, not sudo), and "
        "not set HSA_TOOLS_DISABLE_REGISTER or HSA_TOOLS_LIB itself",
        "no HSA runtime loaded the capture library: nothing could be captured");
}

static void list_kernels(const struct capturer_state *s)
{
    char line[400];
    for (size_t i = 0; i < s->nkernels && i < KERNELS_TOLD; i++) {
        snprintf(line, sizeof line, "  %8llu  %.300s", (unsigned long long)s->kernels[i].dispatches,
                 s->kernels[i].name);
        exit_note(line);
    }
    if (s->nkernels > KERNELS_TOLD || s->other_kernels) {
        snprintf(line, sizeof line, "  and %zu more",
                 (s->nkernels > KERNELS_TOLD ? s->nkernels - KERNELS_TOLD : 0) + s->other_kernels);
        exit_note(line);
    }
}

static uint64_t most_dispatches(const struct capturer_state *s)
{
    uint64_t most = 0;
    for (size_t i = 0; i < s->nkernels; i++)
        if (s->kernels[i].matches && s->kernels[i].dispatches > most)
            most = s->kernels[i].dispatches;
    return most;
}

/* Explains why nothing was captured although nothing failed. */
static int tell_nothing_captured(const struct capture_report *r)
{
    const struct capturer_state *s = r->state;
    char why[300];
    if (s->loaded == 0)
        return tell_not_loaded(s);
    if (*s->message)
        exit_note(s->message);
    if (s->dispatches == 0)
        return print_failure(ERROR_TARGET,
                             s->plain_queues ? "its queues could not be intercepted" : NULL,
                             "the program launched no kernel");
    if (s->matching == 0) {
        snprintf(why, sizeof why, "no kernel matches '%.100s'; these ran:", r->kernel);
        const int status = print_failure(ERROR_TARGET, NULL, why);
        list_kernels(s);
        return status;
    }
    snprintf(
        why, sizeof why,
        "there is no dispatch %llu: the matching kernel that ran most had %llu, counted from 0",
        (unsigned long long)r->wanted, (unsigned long long)most_dispatches(s));
    return print_failure(ERROR_TARGET, NULL, why);
}

int capture_report_text(const struct capture_report *r)
{
    unsigned captured = 0, failed = 0;
    int code = 0;
    for (size_t i = 0; i < r->state->nresults; i++) {
        const struct capturer_result *one = &r->state->results[i];
        if (!is_our_capture(r, one))
            continue;
        tell_capture_result(one);
        captured += is_kernel_captured(one);
        failed += !is_kernel_captured(one) || one->code;
        code = one->code ? one->code : code;
    }
    if (captured + failed == 0)
        return tell_nothing_captured(r);
    if (failed == 0)
        return EXIT_DONE;
    return code ? EXIT_OUTPUT : EXIT_FAILED;
}

/* --- the short answer --- */

static void brief_capture_row(struct brief *b, const struct capturer_result *one)
{
    char size[VALUE_TEXT_MAX], pause[VALUE_TEXT_MAX];
    if (is_kernel_captured(one))
        brief_row(b, one->kernel, "dispatch %llu, %s in %u %s, the program paused for %s",
                  (unsigned long long)one->index, format_capture_bytes(one->bytes, size),
                  one->regions, plural(one->regions, "region", "regions"),
                  format_capture_seconds(one->pause_ns, pause));
    else
        brief_row(b, one->kernel, "dispatch %llu, not captured: %s", (unsigned long long)one->index,
                  explain_failed_capture(one));
}

void capture_brief(struct brief *b, const struct capture_report *r)
{
    const struct capturer_state *s = r->state;
    size_t captured = 0, failed = 0;
    for (size_t i = 0; i < s->nresults; i++) {
        const struct capturer_result *one = &s->results[i];
        if (!is_our_capture(r, one))
            continue;
        captured += is_kernel_captured(one);
        failed += !is_kernel_captured(one);
        brief_capture_row(b, one);
        if (is_kernel_captured(one))
            brief_next(b, "rooftop gpu replay full-vm --verify --capture-dir", &one->path, 1);
    }
    brief_verdict(b, "%zu dispatch%s captured, %zu failed", captured, captured == 1 ? "" : "es",
                  failed);
    brief_evidence(b, "%llu dispatches in %u processes, %llu of a kernel that matches '%.60s'",
                   (unsigned long long)s->dispatches, s->loaded, (unsigned long long)s->matching,
                   r->kernel);
    for (size_t i = 0; captured + failed == 0 && i < s->nkernels; i++)
        brief_row(b, s->kernels[i].name, "%llu dispatches",
                  (unsigned long long)s->kernels[i].dispatches);
}

/* --- JSON for scripts --- */

static cJSON *result_json(const struct capturer_result *r)
{
    cJSON *o = cJSON_CreateObject();
    const bool whole = is_kernel_captured(r);
    cJSON_AddBoolToObject(o, "captured", whole);
    json_add_text(o, "path", *r->path ? r->path : NULL);
    json_add_text(o, "kernel", r->kernel);
    json_add_u64(o, "dispatch", r->index);
    json_add_u64(o, "pid", (uint64_t)r->pid);
    json_add_three(o, "grid", r->grid);
    json_add_three(o, "block", r->block);
    if (whole) {
        cJSON_AddBoolToObject(o, "after", r->after);
        cJSON_AddBoolToObject(o, "drained", r->drained);
        json_add_u64(o, "regions", r->regions);
        json_add_u64(o, "unread_regions", r->unread);
        json_add_u64(o, "bytes", r->bytes);
        json_add_u64(o, "stored_bytes", r->stored);
        json_add_u64(o, "pause_ns", r->pause_ns);
        if (r->gpu_ns)
            json_add_u64(o, "gpu_ns", r->gpu_ns);
    }
    if (*explain_failed_capture(r))
        json_add_text(o, "why", explain_failed_capture(r));
    return o;
}

#define TYPE struct capturer_kernel
static const struct fields captured_kernel_record =
    RECORD_OF(ROW(TEXT, name), ROW(U64, dispatches), ROW(BOOL, matches));
#undef TYPE

int capture_report_json(const struct capture_report *r, int wait_status)
{
    struct error err = ERROR_INIT;
    struct output out;
    cJSON *doc = document_begin("rooftop.capture/1");
    cJSON *results = cJSON_AddArrayToObject(doc, "captures");
    for (size_t i = 0; i < r->state->nresults; i++)
        if (is_our_capture(r, &r->state->results[i]))
            cJSON_AddItemToArray(results, result_json(&r->state->results[i]));
    json_add_u64(doc, "processes", r->state->loaded);
    json_add_u64(doc, "dispatches", r->state->dispatches);
    json_add_u64(doc, "matching", r->state->matching);
    record_add_rows(doc, "kernels", captured_kernel_record, r->state->kernels, r->state->nkernels);
    json_add_u64(doc, "exit_status", (uint64_t)exit_of_wait_status(wait_status));
    char *text = json_document(doc, true);
    int rc = output_open(&out, NULL, STDOUT_FILENO, false, &err);
    if (rc == 0)
        rc = output_write(&out, text, strlen(text), &err);
    if (rc == 0)
        rc = output_write(&out, "\n", 1, &err);
    cJSON_free(text);
    cJSON_Delete(doc);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}
