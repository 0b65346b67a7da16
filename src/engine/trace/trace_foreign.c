/* Recognises files of other tools that rooftop does not read. */
#include "engine/trace/trace_foreign.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "json/look.h"

#define SAMPLES                                                                                    \
    "it has samples, without the calls and times that a tree or a path needs: give a trace of "    \
    "Chrome, PyTorch, rocprofv3 or Nsight Systems; or sample with rooftop record --functions -- "  \
    "PROGRAM, and open what that writes"

/*
 * What is not read, and the command that makes a readable file of it. Sources of the first bytes:
 * APPNOTE.TXT 4.3.7 (zip), RFC 8878 3.1.1 (zstd), xz-file-format.txt 2.1.1.1, bzip2's and 7-Zip's
 * format descriptions, POSIX pax (ustar), the first bytes of reports of Nsight Compute and of
 * Nsight Systems 2023.3 and 2023.4. Field 1 of a protobuf begins with 0x0a: the name tells which
 * (perfetto.dev/docs, "Converting"; openxla.org/xprof).
 */
static const struct foreign {
    const char *magic;
    size_t at, n;
    struct trace_foreign is;
    const char *ending; /* of the name; NULL: any */
} foreign[] = {
#define FOREIGN(magic, at, what, help)                                                             \
    {                                                                                              \
        magic, at, sizeof(magic) - 1, {what, help}, NULL                                           \
    }
#define PERFETTO                                                                                   \
    "a protobuf of Perfetto", "convert it: traceconv json FILE trace.json, and open trace.json"
    {"\n", 0, 1, {PERFETTO}, ".pftrace"},
    {"\n", 0, 1, {PERFETTO}, ".perfetto-trace"},
    {"\n",
     0,
     1,
     {"a protobuf of XLA's profiler",
      "open the .trace.json.gz beside it, or what xprof exports of it (trace_viewer)"},
     ".xplane.pb"},
#undef PERFETTO
    FOREIGN("PK\003\004", 0, "a zip archive",
            "unzip it and open what it holds, or: unzip -p FILE | rooftop tree /dev/stdin"),
    FOREIGN("\x28\xb5\x2f\xfd", 0, "packed with zstd",
            "unpack it: zstd -d FILE, or: zstd -dc FILE | rooftop tree /dev/stdin"),
    FOREIGN("\xfd"
            "7zXZ",
            0, "packed with xz",
            "unpack it: xz -dk FILE, or: xz -dc FILE | rooftop tree /dev/stdin"),
    FOREIGN("BZh", 0, "packed with bzip2",
            "unpack it: bzip2 -dk FILE, or: bzip2 -dc FILE | rooftop tree /dev/stdin"),
    FOREIGN("7z\xbc\xaf\x27\x1c", 0, "a 7-Zip archive", "unpack it, and open what it holds"),
    FOREIGN("ustar", 257, "a tar archive", "unpack it: tar -xf FILE, and open what it holds"),
    FOREIGN("NVR\0", 0, "a report of Nsight Compute",
            "export it: ncu --import FILE --csv, or profile with nsys for a timeline"),
    FOREIGN("NVIDIA Tegra Profiler Report", 0, "a report of Nsight Systems",
            "export it: nsys export --type sqlite FILE, and open the .sqlite file"),
    FOREIGN("roof", 68, "a session of rooftop record", /* engine/session/session.h */
            "rooftop FILE shows it, rooftop compare A B compares two"),
    FOREIGN("rtbh", 68, "the history of benchmarks", /* engine/bench/history.c */
            "rooftop history --db FILE shows it"),
    FOREIGN("rtrp", 68, "the history of replays", /* engine/replay/replay_store.c */
            "rooftop history --import FILE adds it to the history of benchmarks"),
    FOREIGN("PERFILE2", 0, "a recording of perf record", SAMPLES), /* perf.data-file-format.txt */
    /* sample_type, type and unit: fields 1 of Profile, 1 and 2 of ValueType (pprof's
     * proto/profile.proto); the texts' numbers begin with 1, as 0 is "" */
    FOREIGN("\n\4\10\1\20\2", 0, "a profile of pprof", SAMPLES),
#undef FOREIGN
};

/* --- texts --- */

/* The next line that is not empty, without its end. */
static bool read_foreign_line(const char **at, const char *end, const char **line, size_t *n)
{
    while (*at < end) {
        const char *stop = memchr(*at, '\n', (size_t)(end - *at));
        *line = *at;
        *n = (size_t)((stop ? stop : end) - *at);
        *at = stop ? stop + 1 : end;
        if (*n > 0)
            return stop != NULL; /* a line that was cut is no evidence */
    }
    return false;
}

/* "main;run;step 120": frames with ';' between, and a count. The format of flamegraph.pl. */
static bool is_folded_stacks(const char *text, size_t n)
{
    enum { LINES = 20 };
    const char *at = text, *line;
    size_t length, lines = 0, stacks = 0;
    while (lines < LINES && read_foreign_line(&at, text + n, &line, &length)) {
        size_t digits = 0;
        while (digits < length && isdigit((unsigned char)line[length - 1 - digits]))
            digits++;
        if (digits == 0 || digits + 2 > length || line[length - 1 - digits] != ' ')
            return false;
        stacks += memchr(line, ';', length) != NULL;
        lines++;
    }
    return stacks > 0;
}

/* Whether the n bytes are digits with one `inside` between them; 0: only digits. */
static bool is_number_around(const char *word, size_t n, char inside)
{
    size_t digits = 0;
    bool seen = false;
    for (size_t i = 0; i < n; i++) {
        digits += isdigit((unsigned char)word[i]) != 0;
        if (!isdigit((unsigned char)word[i]) && (word[i] != inside || seen || i == 0))
            return false;
        seen |= word[i] == inside;
    }
    return digits > 0;
}

/* "comm 12/13 [001] 13289.335292: …": a process or thread, and later a time with a colon. The
 * fields are those of perf-script(1), -F. */
static bool is_perf_script(const char *text, size_t n)
{
    const char *at = text, *line;
    size_t length, words = 0;
    bool task = false;
    do
        if (!read_foreign_line(&at, text + n, &line, &length))
            return false;
    while (*line == '#');
    for (size_t i = 0, end; i < length && words < 8; i = end, words++) {
        while (i < length && isspace((unsigned char)line[i]))
            i++;
        for (end = i; end < length && !isspace((unsigned char)line[end]);)
            end++;
        if (task && end > i + 1 && line[end - 1] == ':' && memchr(line + i, '.', end - i) &&
            is_number_around(line + i, end - i - 1, '.'))
            return true;
        task |= words > 0 && is_number_around(line + i, end - i, '/');
    }
    return false;
}

static const struct trace_foreign texts[] = {
    {"a profile of speedscope", SAMPLES},
    {"the text of perf script", SAMPLES},
    {"folded stacks, the input of flame graphs", SAMPLES},
};

const struct trace_foreign *trace_foreign_of(const struct trace_look *l)
{
    const char *text = (const char *)l->text;
    for (const struct foreign *f = foreign; f < foreign + sizeof foreign / sizeof *foreign; f++) {
        const size_t n = strlen(l->path), m = f->ending ? strlen(f->ending) : 0;
        if (l->n >= f->at + f->n && memcmp(l->text + f->at, f->magic, f->n) == 0 && n >= m &&
            memcmp(l->path + n - m, f->ending ? f->ending : "", m) == 0)
            return &f->is;
    }
    if (l->n == 0 || memchr(text, '\0', l->n))
        return NULL;
    /* speedscope.app/file-format-schema.json */
    if (json_look_member(text, l->n, "$schema", "https://www.speedscope.app/") == JSON_LOOK_YES)
        return &texts[0];
    if (is_perf_script(text, l->n))
        return &texts[1];
    return is_folded_stacks(text, l->n) ? &texts[2] : NULL;
}
