/* Recognises files of other tools that rooftop does not read. */
#include "engine/trace/trace_foreign.h"

#include <string.h>

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
    "a protobuf of Perfetto", "profile with rocprofv3 --output-format json, or convert it: "       \
                              "traceconv json FILE trace.json"
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
            "unzip it and open what it holds, or: unzip -p FILE | rooftop report tree -"),
    FOREIGN("\x28\xb5\x2f\xfd", 0, "packed with zstd",
            "unpack it: zstd -d FILE, or: zstd -dc FILE | rooftop report tree -"),
    FOREIGN("\xfd"
            "7zXZ",
            0, "packed with xz", "unpack it: xz -dk FILE, or: xz -dc FILE | rooftop report tree -"),
    FOREIGN("BZh", 0, "packed with bzip2",
            "unpack it: bzip2 -dk FILE, or: bzip2 -dc FILE | rooftop report tree -"),
    FOREIGN("7z\xbc\xaf\x27\x1c", 0, "a 7-Zip archive", "unpack it, and open what it holds"),
    FOREIGN("ustar", 257, "a tar archive", "unpack it: tar -xf FILE, and open what it holds"),
    FOREIGN("NVR\0", 0, "a report of Nsight Compute",
            "export it: ncu --import FILE --csv, or profile with nsys for a timeline"),
    FOREIGN("NVIDIA Tegra Profiler Report", 0, "a report of Nsight Systems",
            "export it: nsys export --type sqlite FILE, and open the .sqlite file"),
    FOREIGN(
        "\177ELF", 0, "a program or a library",
        "to run it: rooftop -- FILE, with its path; of a code object of a GPU: rooftop gpu code "
        "object FILE"),
    FOREIGN("#!", 0, "a script", "to run it: rooftop -- FILE, with its path, and chmod +x"),
    FOREIGN("roof", 68, "a session of rooftop record", /* engine/session/session.h */
            "rooftop FILE shows it, rooftop compare A B compares two"),
    FOREIGN("rtbh", 68, "the history of benchmarks", /* engine/bench/history.c */
            "rooftop compare history --db FILE shows it"),
    FOREIGN("{\n  \"format\": \"rooftop-golden/", 0, "a golden trace", /* engine/golden/golden.h */
            "rooftop check golden NAME runs its command again and compares what that does"),
    FOREIGN("{\"schema\":\"rooftop.optimize/", 0, "the log of an optimizer", /* engine/optimize */
            "rooftop --view optimize shows it, in the folder where SOURCE.optimize is"),
    FOREIGN("rtrp", 68, "the history of replays", /* engine/replay/replay_store.c */
            "rooftop compare history --import FILE adds it to the history of benchmarks"),
#undef FOREIGN
};

const struct trace_foreign *trace_foreign_of(const struct trace_look *l)
{
    for (const struct foreign *f = foreign; f < foreign + sizeof foreign / sizeof *foreign; f++) {
        const size_t n = strlen(l->path), m = f->ending ? strlen(f->ending) : 0;
        if (l->n >= f->at + f->n && memcmp(l->text + f->at, f->magic, f->n) == 0 && n >= m &&
            memcmp(l->path + n - m, f->ending ? f->ending : "", m) == 0)
            return &f->is;
    }
    return NULL;
}
