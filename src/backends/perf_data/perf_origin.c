#include "backends/perf_data/perf_origin.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/env.h"
#include "symbols/symbols.h"

static const char kernel_name[] = "[kernel.kallsyms]";

/* The build id in the notes of the running kernel: owner's length, content's length, kind, owner,
 * content, each padded to 4 bytes (elf(5)). Returns its length, 0 unknown. */
static size_t read_running_id(uint8_t id[20])
{
    enum { BUILD_ID = 3, HEAD = 12 };
    char path[512];
    uint8_t notes[4096];
    FILE *f = fopen(env_path(path, sizeof path, "/sys/kernel/notes"), "re");
    const size_t n = f ? fread(notes, 1, sizeof notes, f) : 0;
    if (f)
        fclose(f);
    for (size_t at = 0; at + HEAD <= n;) {
        uint32_t head[3];
        memcpy(head, notes + at, sizeof head);
        const size_t owner = ((size_t)head[0] + 3) & ~(size_t)3,
                     content = ((size_t)head[1] + 3) & ~(size_t)3;
        at += HEAD;
        if (owner > n - at || content > n - at - owner)
            return 0;
        if (head[2] == BUILD_ID && head[1] <= 20 && memcmp(notes + at, "GNU", 4) == 0) {
            memcpy(id, notes + at + owner, head[1]);
            return head[1];
        }
        at += owner + content;
    }
    return 0;
}

/* Whether the recorded kernel can be the one that runs now. */
static bool is_running_kernel(const struct perf_file *f)
{
    uint8_t id[20];
    struct utsname name;
    const struct perf_file_id *recorded = perf_file_id_of(f, kernel_name);
    const size_t n = read_running_id(id);
    if (recorded && n)
        return recorded->n == n && memcmp(recorded->id, id, n) == 0;
    return uname(&name) == 0 && (!*f->release || strcmp(f->release, name.release) == 0);
}

void perf_origin_read(struct names_origin *o, const struct perf_file *f)
{
    struct utsname name;
    *o = (struct names_origin){0};
    if (uname(&name) == 0)
        o->same_host = !*f->host || strcmp(f->host, name.nodename) == 0;
}

void perf_origin_mapping(struct names_origin *o, const struct record_mapping *m,
                         const struct perf_file *f)
{
    const size_t n = sizeof kernel_name - 1;
    struct symbol_frame frame;
    if (o->kernel_asked || strncmp(m->path, kernel_name, n) != 0 || !m->path[n])
        return;
    o->kernel_asked = true;
    if (!is_running_kernel(f))
        return;
    /* "[kernel.kallsyms]_text": the symbol, and in place of an offset its address. */
    struct symbols *s = symbols_new(SYMBOLS_MEMORY_LEAST);
    o->same_kernel = symbols_kernel(s, m->offset, &frame, NULL) && frame.address == m->offset;
    symbols_free(s);
}
