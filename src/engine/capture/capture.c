#include "engine/capture/capture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/search.h"
#include "engine/capture/capture_impl.h"
#include "format/capture.h"
#include "format/sum.h"

enum {
    DOCUMENT_MAX = 64 << 20,
    CODE_MAX = 1 << 30,
    KERNARG_MAX = 16 << 20,
    ELF_HEADER = 64,
    ELF_AMDGPU = 224
};

#define UNFINISHED "not finished: the program ended while it was captured, or the disk was full"

int capture_refuse(const struct capture_own *o, struct error *err, const char *file,
                   const char *where, const char *fmt, ...)
{
    char what[200];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return error_set(err, ERROR_INPUT, EINVAL, NULL, o->c.path, "%s%s%s%s%s", file,
                     *file ? ": " : "", where ? where : "", where && *where ? ": " : "", what);
}

void capture_note(struct capture_own *o, const char *fmt, ...)
{
    char text[512];
    va_list args;
    if (o->c.nnotes == CAPTURE_NOTES_MAX)
        return;
    if (!o->c.notes)
        o->c.notes = arena_alloc(&o->memory, CAPTURE_NOTES_MAX * sizeof *o->c.notes);
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    bool last = o->c.nnotes + 1 == CAPTURE_NOTES_MAX;
    o->c.notes[o->c.nnotes++] = last ? "and more of the same" : arena_strdup(&o->memory, text);
}

/* --- the file capture_complete --- */

/* Checks that capture_complete has the line "<checksum>  <file>" with the checksum of the file's
 * text. */
static int check_sum_line(const struct capture_own *o, const char *complete, const char *file,
                          const char *text, size_t n, struct error *err)
{
    char line[SUM_TEXT + 64], digits[SUM_TEXT];
    snprintf(line, sizeof line, "\n%s  %s\n", sum_text(sum_bytes(text, n), digits), file);
    return strstr(complete, line)
               ? 0
               : capture_refuse(o, err, file, NULL, "its checksum is not the one in %s",
                                CAPTURE_COMPLETE);
}

/* Checks that capture_complete has nothing but the expected lines, by its length. */
static int check_whole(const struct capture_own *o, const char *text, size_t n, const char *first,
                       struct error *err)
{
    static const char *const files[] = {CAPTURE_DISPATCH, CAPTURE_REGIONS};
    size_t all = strlen(first);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        all += SUM_TEXT - 1 + strlen("  ") + strlen(files[i]) + strlen("\n");
    return n == all && strlen(text) == n
               ? 0
               : capture_refuse(o, err, CAPTURE_COMPLETE, NULL,
                                "%zu bytes, not %zu: it has more than it should", n, all);
}

static int check_complete(struct capture_own *o, const char *dispatch, size_t ndispatch,
                          const char *regions, size_t nregions, struct error *err)
{
    enum capture_origin origin = o->c.origin;
    char *text = NULL, first[64];
    size_t n;
    if (!capture_file_is(o, CAPTURE_COMPLETE)) {
        if (origin == CAPTURE_SEED)
            return 0; /* rocm-perf-lab writes no such file */
        return capture_refuse(o, err, "", NULL, UNFINISHED);
    }
    int rc = capture_file_read(o, CAPTURE_COMPLETE, 1 << 16, &text, &n, err);
    if (rc || origin != CAPTURE_ROOFTOP)
        return rc;
    snprintf(first, sizeof first, CAPTURE_FORMAT " %d\n", CAPTURE_VERSION);
    if (strncmp(text, first, strlen(first)) != 0)
        return capture_refuse(o, err, CAPTURE_COMPLETE, "line 1", "not \"" CAPTURE_FORMAT " %d\"",
                              CAPTURE_VERSION);
    rc = check_sum_line(o, text, CAPTURE_DISPATCH, dispatch, ndispatch, err);
    if (rc == 0)
        rc = check_sum_line(o, text, CAPTURE_REGIONS, regions, nregions, err);
    return rc ? rc : check_whole(o, text, n, first, err);
}

/* --- arguments and code --- */

static int check_sum(const struct capture_own *o, const char *file, const void *p, size_t n,
                     uint64_t expected, bool has, struct error *err)
{
    char found[SUM_TEXT], wanted[SUM_TEXT];
    uint64_t sum = has ? sum_bytes(p, n) : 0;
    if (!has || sum == expected)
        return 0;
    return capture_refuse(o, err, file, NULL, "its checksum is %s, not %s: it is damaged",
                          sum_text(sum, found), sum_text(expected, wanted));
}

static int read_kernarg(struct capture_own *o, struct error *err)
{
    char *p;
    size_t n;
    int rc = capture_file_read(o, CAPTURE_KERNARG, KERNARG_MAX, &p, &n, err);
    if (rc)
        return rc;
    if (n != o->c.kernarg_size)
        return capture_refuse(o, err, CAPTURE_KERNARG, NULL, "it has %zu bytes, not %llu", n,
                              (unsigned long long)o->c.kernarg_size);
    o->c.kernarg = (uint8_t *)p;
    return check_sum(o, CAPTURE_KERNARG, p, n, o->kernarg_sum, o->has_kernarg_sum, err);
}

static int read_capture_code(struct capture_own *o, struct error *err)
{
    static const uint8_t head[6] = {0x7f, 'E', 'L', 'F', 2, 1}; /* ELF, 64 bits, little-endian */
    char *p;
    int rc = capture_file_read(o, CAPTURE_CODE, CODE_MAX, &p, &o->c.code_bytes, err);
    if (rc)
        return rc;
    o->c.code = (uint8_t *)p;
    rc = check_sum(o, CAPTURE_CODE, p, o->c.code_bytes, o->code_sum, o->has_code_sum, err);
    if (rc)
        return rc;
    if (o->c.code_bytes < ELF_HEADER || memcmp(p, head, sizeof head) != 0)
        return capture_refuse(o, err, CAPTURE_CODE, NULL, "not an ELF file of 64 bits");
    unsigned machine = (unsigned)o->c.code[18] | (unsigned)o->c.code[19] << 8;
    if (machine != ELF_AMDGPU)
        return capture_refuse(o, err, CAPTURE_CODE, NULL,
                              "an ELF file of machine %u, not of an AMD GPU (%d)", machine,
                              ELF_AMDGPU);
    return 0;
}

/* --- a folder --- */

/* Checks that the files of arguments and code exist, which opening a head does not read. */
static int look_at_files(const struct capture_own *o, struct error *err)
{
    const struct capture_blob kernarg = {.file = CAPTURE_KERNARG, .encoding = CAPTURE_RAW};
    int fd;
    uint64_t size;
    int rc = capture_file_check(o, &kernarg, o->c.kernarg_size, err);
    if (rc == 0)
        rc = capture_file_open(o, CAPTURE_CODE, &fd, &size, err);
    if (rc == 0)
        close(fd);
    return rc;
}

static void note_lacks(struct capture_own *o)
{
    static const char *const names[] = {"rooftop", "rocm-perf-lab", "kerncap"};
    if (o->c.origin == CAPTURE_ROOFTOP)
        return;
    capture_note(o,
                 "made by %s: no checksums, no memory after the kernel, host memory not told "
                 "from the GPU's",
                 names[o->c.origin]);
    if (o->c.origin == CAPTURE_KERNCAP)
        capture_note(o, "kerncap reads memory after the kernel ran: what it changed in place is "
                        "not as it was before");
    if (o->c.origin == CAPTURE_SEED)
        capture_note(o, "rocm-perf-lab does not say when a capture is complete, nor keeps module "
                        "variables");
}

static int read_capture_folder(struct capture_own *o, struct error *err)
{
    char *dispatch, *regions;
    size_t ndispatch, nregions;
    if (!capture_file_is(o, CAPTURE_DISPATCH))
        return capture_refuse(o, err, "", NULL, UNFINISHED);
    int rc = capture_file_read(o, CAPTURE_DISPATCH, DOCUMENT_MAX, &dispatch, &ndispatch, err);
    if (rc == 0)
        rc = capture_read_dispatch(o, dispatch, ndispatch, err);
    if (rc)
        return rc;
    if (!capture_file_is(o, CAPTURE_REGIONS) && !capture_file_is(o, CAPTURE_COMPLETE))
        return capture_refuse(o, err, "", NULL, UNFINISHED);
    note_lacks(o);
    rc = capture_file_read(o, CAPTURE_REGIONS, DOCUMENT_MAX, &regions, &nregions, err);
    if (rc == 0)
        rc = check_complete(o, dispatch, ndispatch, regions, nregions, err);
    if (rc == 0)
        rc = capture_read_regions(o, regions, nregions, err);
    if (rc == 0 && o->c.origin == CAPTURE_KERNCAP)
        rc = capture_read_foreign_variables(o, err);
    if (rc == 0 && o->head)
        return look_at_files(o, err);
    if (rc == 0)
        rc = read_kernarg(o, err);
    return rc ? rc : read_capture_code(o, err);
}

static bool has_file(const char *folder, const char *name)
{
    char path[4400];
    struct stat st;
    snprintf(path, sizeof path, "%.4096s/%.256s", folder, name);
    return lstat(path, &st) == 0;
}

bool capture_folder_is(const char *path)
{
    return has_file(path, CAPTURE_DISPATCH) || has_file(path, CAPTURE_COMPLETE) ||
           (has_file(path, CAPTURE_MEMORY) &&
            (has_file(path, CAPTURE_AFTER) || has_file(path, CAPTURE_CODE)));
}

/* Finds the only capture in a folder. */
static int only_one(const char *path, char **found, struct error *err)
{
    char sub[4400];
    size_t n = 0;
    DIR *dir = opendir(path);
    if (!dir)
        return error_set(err, ERROR_INPUT, errno, NULL, path, "%s", strerror(errno));
    for (struct dirent *e; (e = readdir(dir));) { // NOLINT: this stream is ours alone
        snprintf(sub, sizeof sub, "%.4096s/%s", path, e->d_name);
        if (e->d_name[0] == '.' || !capture_folder_is(sub))
            continue;
        if (n++ == 0)
            *found = xstrdup(sub);
    }
    closedir(dir);
    if (n == 1)
        return 0;
    free(*found);
    *found = NULL;
    if (n == 0)
        return error_set(err, ERROR_INPUT, EINVAL, NULL, path, "not a capture: it has no %s",
                         CAPTURE_DISPATCH);
    return error_set(err, ERROR_INPUT, EINVAL, "name one of them", path, "it holds %zu captures",
                     n);
}

static int open_as(struct capture **out, const char *path, bool head, struct error *err)
{
    char *inner = NULL;
    *out = NULL;
    int rc = capture_folder_is(path) ? 0 : only_one(path, &inner, err);
    if (rc)
        return rc;
    struct capture_own *o = xcalloc(1, sizeof *o);
    struct capture *c = &o->c;
    c->path = arena_strdup(&o->memory, inner ? inner : path);
    free(inner);
    c->mangled_name = c->demangled_name = c->agent_name = c->isa_name = c->product_name = c->host =
        c->time = c->runtime_version = c->tool_version = c->command = "";
    o->head = head;
    o->folder = open(c->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    rc = o->folder < 0 ? error_set(err, ERROR_INPUT, errno, NULL, path, "%s", strerror(errno))
                       : read_capture_folder(o, err);
    if (rc) {
        capture_free(c);
        return rc;
    }
    if (head) {
        close(o->folder);
        o->folder = -1;
    }
    *out = c;
    return 0;
}

int capture_open(struct capture **out, const char *path, struct error *err)
{
    return open_as(out, path, false, err);
}

int capture_open_head(struct capture **out, const char *path, struct error *err)
{
    return open_as(out, path, true, err);
}

void capture_free(struct capture *c)
{
    struct capture_own *o = (struct capture_own *)c; /* its first member */
    if (!c)
        return;
    if (o->folder >= 0)
        close(o->folder);
    arena_free(&o->memory);
    free(o);
}

const struct capture_region *capture_region_at(const struct capture *c, uint64_t address)
{
    const struct capture_region *r = c->regions;
    size_t at = 0;
    SEARCH_FIRST(at, c->nregions, r[at].base <= address && address - r[at].base >= r[at].size);
    return at < c->nregions && r[at].base <= address ? &r[at] : NULL;
}
