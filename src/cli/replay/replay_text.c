#include <math.h>
#include <string.h>

#include "base/print.h"
#include "cli/replay/replay.h"
#include "export/brief.h"

/* --- reading the document */

static const cJSON *find_replay_member(const cJSON *j, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(j, key);
}

static double get_replay_number(const cJSON *j, const char *key)
{
    const cJSON *m = find_replay_member(j, key);
    return cJSON_IsNumber(m) ? m->valuedouble : NAN;
}

static const char *get_replay_text(const cJSON *j, const char *key)
{
    const char *t = cJSON_GetStringValue(find_replay_member(j, key));
    return t ? t : "";
}

static unsigned long long json_count(const cJSON *j, const char *key)
{
    const double v = get_replay_number(j, key);
    return v > 0 ? (unsigned long long)v : 0;
}

/* --- reserve-check */

void replay_text_region(FILE *out, const cJSON *event)
{
    const char *status = get_replay_text(event, "status");
    print_text(out, "Region 0x%llx size %llu -> %s", json_count(event, "base"),
               json_count(event, "size"), status);
    if (strcmp(status, "FAIL") == 0)
        print_text(out, " (%s)", get_replay_text(event, "why"));
    if (strcmp(status, "RELOCATED") == 0)
        fprintf(out, " (0x%llx)", json_count(event, "address"));
    fputc('\n', out);
}

void replay_text_check(FILE *out, const cJSON *result)
{
    fprintf(out, "\nSummary:\n  Regions: %llu\n  Total bytes: %llu\n  Page size: %llu\n",
            json_count(result, "regions"), json_count(result, "total_bytes"),
            json_count(result, "page_size"));
    if (cJSON_IsTrue(find_replay_member(result, "of_capture")))
        return;
    const bool can = !json_count(result, "failed") && !json_count(result, "relocated");
    print_text(out,
               "No capture was given (--capture-dir): two addresses of this process were tried.\n"
               "%s %s, runtime %s: %s\n",
               get_replay_text(result, "gpu_agent"), get_replay_text(result, "product_name"),
               get_replay_text(result, "rocm_version"),
               can ? "gives memory at wanted addresses: it can replay captures of its kind"
                   : "does not give memory at wanted addresses: it cannot replay");
}

/* --- full-vm */

/* Prints the notes of a result, or of a failure, which they may explain. */
void replay_text_notes(FILE *out, const cJSON *result)
{
    const cJSON *note;
    cJSON_ArrayForEach(note, find_replay_member(result, "notes"))
    {
        print_text(out, "Note: %s\n", cJSON_GetStringValue(note));
    }
}

static void put_verdict(FILE *out, const char *indent, const cJSON *verify)
{
    const cJSON *d;
    const bool equal = cJSON_IsTrue(find_replay_member(verify, "equal"));
    print_text(out, "%s (%llu regions, %llu bytes compared", equal ? "equal" : "DIFFERENT",
               json_count(verify, "regions_compared"), json_count(verify, "bytes_compared"));
    if (json_count(verify, "regions_skipped"))
        fprintf(out, "; of %llu regions nothing is known", json_count(verify, "regions_skipped"));
    fprintf(out, ")\n");
    cJSON_ArrayForEach(d, find_replay_member(verify, "differences"))
    {
        print_text(
            out,
            "%sregion 0x%llx offset %llu (0x%llx): expected 0x%llx, found 0x%llx; %llu elements "
            "(%s) differ\n",
            indent, json_count(d, "region"), json_count(d, "offset"), json_count(d, "address"),
            json_count(d, "expected"), json_count(d, "found"), json_count(d, "count"),
            get_replay_text(verify, "type"));
    }
}

static void put_emulated(FILE *out, const cJSON *result)
{
    const cJSON *environment = find_replay_member(result, "environment");
    if (cJSON_IsTrue(find_replay_member(environment, "emulated")))
        print_text(out, "GPU: %s: times mean nothing\n",
                   get_replay_text(environment, "product_name"));
    else
        print_text(out, "GPU: %s %s\n", get_replay_text(environment, "gpu_agent"),
                   get_replay_text(environment, "product_name"));
}

/* A time of the result, in us there. */
static const char *read_us(const cJSON *timing, const char *member, char out[VALUE_TEXT_MAX])
{
    return value_time(get_replay_number(timing, member) * 1e3, true, out);
}

static const char *read_seconds(const cJSON *o, const char *member, char out[VALUE_TEXT_MAX])
{
    return value_time(get_replay_number(o, member) * 1e9, true, out);
}

static void put_restore_rate(FILE *out, const char *fmt, double bytes_per_s)
{
    char rate[VALUE_TEXT_MAX];
    if (isfinite(bytes_per_s))
        print_text(out, "%s%s", fmt, value_text(bytes_per_s, UNIT_BYTES_PER_S, true, rate));
}

static void put_restore(FILE *out, const cJSON *result)
{
    const cJSON *r = find_replay_member(result, "restore");
    char bytes[VALUE_TEXT_MAX], time[VALUE_TEXT_MAX], first[VALUE_TEXT_MAX];
    print_text(out, "Restore: %llu regions, %s, %s", json_count(r, "regions"),
               value_text(get_replay_number(r, "bytes"), UNIT_BYTES, true, bytes),
               read_seconds(r, "seconds", time));
    put_restore_rate(out, ", ", get_replay_number(r, "bytes_per_second"));
    put_restore_rate(out, "; memcpy here: ", get_replay_number(r, "memcpy_bytes_per_second"));
    print_text(out, "\nFirst restore: %s, reading files %s of it\n",
               read_seconds(r, "first_seconds", first),
               read_seconds(r, "first_read_seconds", time));
}

/* The time from opening the capture to the result. */
static void put_wall(FILE *out, const cJSON *result)
{
    char time[VALUE_TEXT_MAX];
    print_text(out, "Wall time: %s\n", read_seconds(result, "wall_seconds", time));
}

static const struct {
    const char *title, *member;
} times[] = {{"Average", "average"},
             {"Min", "min"},
             {"Max", "max"},
             {"Stddev", "stddev"},
             {"Median", "median"}};

void replay_text_full_vm(FILE *out, const cJSON *result)
{
    char time[VALUE_TEXT_MAX];
    const cJSON *execution = find_replay_member(result, "execution"),
                *timing = find_replay_member(result, "timing");
    const cJSON *kernel = find_replay_member(result, "kernel");
    print_text(out, "Kernel: %s (%s)\n", get_replay_text(kernel, "name"),
               get_replay_text(kernel, "hsaco_path"));
    put_emulated(out, result);
    fprintf(out, "Iterations: %llu\n", json_count(execution, "iterations"));
    print_text(out, "Mode: %s\n", get_replay_text(execution, "mode"));
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        print_text(out, "%s GPU time: %s\n", times[i].title,
                   read_us(timing, times[i].member, time));
    put_restore(out, result);
    put_wall(out, result);
    if (find_replay_member(result, "verify")) {
        fputs("Verify: ", out);
        put_verdict(out, "  ", find_replay_member(result, "verify"));
    }
    replay_text_notes(out, result);
}

/* --- compare */

static const cJSON *comparison_of(const cJSON *result, int variant)
{
    const cJSON *c;
    cJSON_ArrayForEach(c, find_replay_member(result, "comparisons"))
    {
        if ((int)get_replay_number(c, "variant") == variant)
            return c;
    }
    return NULL;
}

static void put_variant(FILE *out, const cJSON *result, const cJSON *v, int i)
{
    const cJSON *timing = find_replay_member(v, "timing"), *c = comparison_of(result, i);
    char ratio[64] = "1", mean[VALUE_TEXT_MAX], sd[VALUE_TEXT_MAX], median[VALUE_TEXT_MAX];
    if (c && isfinite(get_replay_number(c, "low")))
        snprintf(ratio, sizeof ratio, "%.4f [%.4f, %.4f]", get_replay_number(c, "ratio"),
                 get_replay_number(c, "low"), get_replay_number(c, "high"));
    else if (c)
        snprintf(ratio, sizeof ratio, "%.4f", get_replay_number(c, "ratio"));
    print_text(out, "%12s %10s %12s  %-26s", read_us(timing, "average", mean),
               read_us(timing, "stddev", sd), read_us(timing, "median", median), ratio);
    if (c && isfinite(get_replay_number(c, "p")))
        print_text(out, " %-8.3g %-8s", get_replay_number(c, "p"), get_replay_text(c, "verdict"));
    else
        print_text(out, " %-8s %-8s", "", c ? get_replay_text(c, "verdict") : "");
    print_text(out, " %s\n", get_replay_text(v, "name"));
}

void replay_text_compare(FILE *out, const cJSON *result)
{
    const cJSON *v, *execution = find_replay_member(result, "execution");
    int i = 0;
    print_text(out, "Kernel: %s\n", get_replay_text(find_replay_member(result, "kernel"), "name"));
    put_emulated(out, result);
    print_text(out, "Iterations: %llu of each, interleaved\nMode: %s\n",
               json_count(execution, "iterations"), get_replay_text(execution, "mode"));
    print_text(out, "%12s %10s %12s  %-26s %-8s %-8s %s\n", "mean", "stddev", "median",
               "ratio to the first [95 %]", "p", "verdict", "variant");
    cJSON_ArrayForEach(v, find_replay_member(result, "variants"))
    {
        put_variant(out, result, v, i++);
    }
    cJSON_ArrayForEach(v, find_replay_member(result, "variants"))
    {
        if (find_replay_member(v, "verify")) {
            print_text(out, "Output of %s, as captured: ", get_replay_text(v, "name"));
            put_verdict(out, "  ", find_replay_member(v, "verify"));
        }
        if (find_replay_member(v, "against_first")) {
            print_text(out, "Output of %s, as the first: ", get_replay_text(v, "name"));
            put_verdict(out, "  ", find_replay_member(v, "against_first"));
        }
    }
    put_restore(out, result);
    put_wall(out, result);
    replay_text_notes(out, result);
}

/* --- the short answer */

static void brief_check(struct brief *b, const cJSON *result)
{
    char bytes[VALUE_TEXT_MAX];
    const unsigned long long failed = json_count(result, "failed"),
                             moved = json_count(result, "relocated");
    brief_verdict(b, "%llu regions: %llu could not be reserved, %llu only at another address",
                  json_count(result, "regions"), failed, moved);
    if (!cJSON_IsTrue(find_replay_member(result, "of_capture")))
        brief_evidence(b, "no capture was given: two addresses of this process were tried");
    brief_row(b, "size", "%s",
              value_text(get_replay_number(result, "total_bytes"), UNIT_BYTES, true, bytes));
    brief_row(b, "page size", "%s",
              value_text(get_replay_number(result, "page_size"), UNIT_BYTES, true, bytes));
}

static void brief_times(struct brief *b, const cJSON *timing)
{
    static const char *const keys[] = {"median", "average", "min", "max", "stddev"};
    char time[VALUE_TEXT_MAX];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (isfinite(get_replay_number(timing, keys[i])))
            brief_row(b, keys[i], "%s", read_us(timing, keys[i], time));
}

static void brief_full_vm(struct brief *b, const cJSON *result)
{
    const cJSON *verify = find_replay_member(result, "verify"),
                *timing = find_replay_member(result, "timing");
    char time[VALUE_TEXT_MAX];
    const char *kernel = get_replay_text(find_replay_member(result, "kernel"), "name");
    const unsigned long long launches =
        json_count(find_replay_member(result, "execution"), "iterations");
    if (!verify)
        brief_verdict(b, "%.120s: %s in the median of %llu launches", kernel,
                      read_us(timing, "median", time), launches);
    else if (cJSON_IsTrue(find_replay_member(verify, "equal")))
        brief_verdict(b, "%.120s computes again what it computed", kernel);
    else
        brief_verdict(b, "%.120s computes something else than captured", kernel);
    if (verify)
        brief_evidence(b, "%llu bytes of %llu regions compared",
                       json_count(verify, "bytes_compared"),
                       json_count(verify, "regions_compared"));
    brief_times(b, timing);
}

static void brief_variants(struct brief *b, const cJSON *result)
{
    const cJSON *v;
    char time[VALUE_TEXT_MAX];
    int i = 0;
    brief_verdict(b, "%d variants of %.120s",
                  cJSON_GetArraySize(find_replay_member(result, "variants")),
                  get_replay_text(find_replay_member(result, "kernel"), "name"));
    cJSON_ArrayForEach(v, find_replay_member(result, "variants"))
    {
        const cJSON *c = comparison_of(result, i++);
        read_us(find_replay_member(v, "timing"), "average", time);
        if (c)
            brief_row(b, get_replay_text(v, "name"), "%s: %.4f of the first, %s",
                      get_replay_text(c, "verdict"), get_replay_number(c, "ratio"), time);
        else
            brief_row(b, get_replay_text(v, "name"), "%s", time);
    }
}

void replay_brief(struct brief *b, const cJSON *result, const char *command)
{
    const cJSON *note, *environment = find_replay_member(result, "environment");
    if (strcmp(command, "replay reserve-check") == 0)
        brief_check(b, result);
    else if (strcmp(command, "replay compare") == 0)
        brief_variants(b, result);
    else
        brief_full_vm(b, result);
    if (cJSON_IsTrue(find_replay_member(environment, "emulated")))
        brief_evidence(b, "on an emulated GPU: times mean nothing");
    cJSON_ArrayForEach(note, find_replay_member(result, "notes"))
    {
        brief_evidence(b, "%s", cJSON_GetStringValue(note));
    }
}

/* --- errors */

void replay_text_error(char *out, size_t size, const cJSON *error)
{
    const char *variant = get_replay_text(error, "variant");
    snprintf(out, size, "%s%s%s", *variant ? variant : "", *variant ? ": " : "",
             get_replay_text(error, "message"));
}
