/* What leaves the processes of a run: bytes with their digest, files made, removed, renamed.
 * raw: lines are kept, and printed by golden_write and golden_diff_write. */
#include <fcntl.h>
#include <inttypes.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/list.h"
#include "base/order.h"
#include "base/words.h"
#include "engine/golden/golden_impl.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/decode/decode.h"
#include "engine/syscalls/memory.h"

/* What was written to one file, stream or socket. */
struct written {
    uint64_t bytes, digested;
    SHA2_CTX digest;
    bool begun;
    bool made, emptied; /* O_EXCL had to make it; O_TRUNC emptied it */
    uint64_t places;    /* hash of the write positions if they are not sequential; else 0 */
    bool has_mode;
    uint64_t mode; /* mode that open gave the new file */
    char *renamed; /* its last name; NULL: its first one */
};

struct golden_effects {
    struct written **objects; /* by the object's index; NULL: nothing */
    size_t n;
    /* The full contents of streams, which replace what calls showed of them. */
    struct {
        char name[16], sha256[SHA256_DIGEST_STRING_LENGTH];
        uint64_t bytes;
    } streams[2];
    int nstreams;
    char **changes; /* of names: "removed: x" */
    size_t nchanges, changes_cap;
    bool chdir; /* a process changed its folder: relative names are not resolved */
};

/* Calls that change a file's metadata, or make, link or remove a file. */
static const struct change {
    const char *calls; /* separated by spaces */
    const char *what;
    int8_t args[3]; /* arguments that are shown, as strace writes them; 0: no more */
} table[] = {
    {"unlink unlinkat rmdir", "removed", {0}},
    {"rename renameat", "renamed", {0}},
    {"renameat2", "renamed", {4}},
    {"mkdir", "made directory", {1}},
    {"mkdirat", "made directory", {2}},
    {"mknod", "made node", {1}},
    {"mknodat", "made node", {2}},
    {"link linkat", "hard link", {0}},
    {"symlink symlinkat", "symbolic link", {0}},
    {"truncate ftruncate", "truncated", {1}},
    {"truncate64 ftruncate64", "truncated", {1, 2}},
    {"fallocate", "allocated", {1, 2, 3}},
    {"chmod fchmod", "changed mode", {1}},
    {"fchmodat fchmodat2", "changed mode", {2}},
    {"chown fchown lchown chown32 fchown32 lchown32", "changed owner", {1, 2}},
    {"fchownat", "changed owner", {2, 3}},
    {"utime utimes futimesat utimensat utimensat_time64", "changed times", {0}},
    {"setxattr lsetxattr fsetxattr", "set attribute", {1, 2}},
    {"setxattrat", "set attribute", {3}},
    {"removexattr lremovexattr fremovexattr", "removed attribute", {1}},
    {"removexattrat", "removed attribute", {3}},
};

static struct written *written_to(struct golden_effects *f, uint32_t object)
{
    if (object >= f->n) {
        size_t n = 2 * (size_t)object + 16;
        f->objects = xrealloc(f->objects, n, sizeof *f->objects);
        memset(f->objects + f->n, 0, (n - f->n) * sizeof *f->objects);
        f->n = n;
    }
    if (!f->objects[object]) {
        f->objects[object] = xcalloc(1, sizeof **f->objects);
        SHA256Init(&f->objects[object]->digest);
    }
    return f->objects[object];
}

static uint64_t digest_written_bytes(struct written *w, const struct syscall_event *e,
                                     uint64_t address, uint64_t wanted)
{
    size_t n = 0;
    const uint8_t *bytes = syscall_kept(e, address, false, &n, NULL);
    if (!bytes)
        return 0;
    if (n > wanted)
        n = wanted;
    SHA256Update(&w->digest, bytes, n);
    w->digested += n;
    return n;
}

static bool is_vector(const char *call)
{
    return strcmp(call, "writev") == 0 || strncmp(call, "pwritev", 7) == 0;
}

static void digest_vector(struct written *w, const struct syscall_event *e)
{
    size_t n = 0;
    uint64_t left = (uint64_t)e->result;
    const uint8_t *bytes = syscall_kept(e, e->args[1], false, &n, NULL);
    if (e->abi != SYSCALL_X86_64 && e->abi != SYSCALL_ARM64)
        return;
    for (size_t i = 0; bytes && left && (i + 1) * 2 * sizeof(uint64_t) <= n; i++) {
        uint64_t one[2]; /* struct iovec of a 64-bit program */
        memcpy(one, bytes + i * sizeof one, sizeof one);
        uint64_t part = one[1] < left ? one[1] : left;
        if (digest_written_bytes(w, e, one[0], part) < part)
            return;
        left -= part;
    }
}

/* Notes that the next bytes, behind w->bytes, are written at `place` of the file. The sum does not
 * depend on the order of threads. */
static void place_add(struct written *w, uint64_t place, uint64_t size)
{
    const uint64_t what[3] = {place, size, w->bytes};
    w->places += hash_bytes(0, what, size ? 2 * sizeof *what : sizeof what);
}

static void note_write(struct golden_effects *f, const struct descriptors *d,
                       const struct syscall_event *e, const struct syscall_duty *duty)
{
    const struct descriptor_object *o = descriptors_of(d, e->pid, (int)(int32_t)e->args[duty->fd]);
    if (!o || o->kind == DESCRIPTOR_PIPE || o->kind == DESCRIPTOR_HANDLE)
        return;
    struct written *w = written_to(f, o->index);
    const char *call = syscall_name(e->abi, e->number);
    if (strncmp(call, "pwrite", 6) == 0 && e->args[3] != w->bytes)
        place_add(w, e->args[3], (uint64_t)e->result);
    w->bytes += (uint64_t)e->result;
    w->begun = true;
    if (duty->role != ROLE_WRITE)
        return;
    if (is_vector(call))
        digest_vector(w, e);
    else if (duty->size >= 0)
        digest_written_bytes(w, e, e->args[1], (uint64_t)e->result);
}

/* Notes an lseek to a position that does not follow the written bytes. The end of the file is no
 * such position, because it depends on the earlier content. */
static void note_seek(struct golden_effects *f, const struct descriptors *d,
                      const struct syscall_event *e)
{
    const struct descriptor_object *o = descriptors_of(d, e->pid, (int)(int32_t)e->args[0]);
    const bool moves = e->args[2] == SEEK_SET || (e->args[2] == SEEK_CUR && e->args[1] != 0);
    if (!o || o->kind != DESCRIPTOR_FILE || !moves)
        return;
    struct written *w = written_to(f, o->index);
    if ((uint64_t)e->result != w->bytes)
        place_add(w, (uint64_t)e->result, 0);
}

static void note_rename(struct golden_effects *f, const struct descriptors *d, const char *from,
                        const char *to)
{
    for (size_t i = 0; i < f->n; i++) {
        struct written *w = f->objects[i];
        if (w && strcmp(w->renamed ? w->renamed : descriptors_at(d, i)->name, from) == 0) {
            free(w->renamed);
            w->renamed = xstrdup(to);
        }
    }
}

/* The path that the call changes, else that of its descriptor; false: there is no file. */
static bool find_changed_path(const struct descriptors *d, const struct syscall_event *e,
                              const struct syscall_duty *duty, char path[4200])
{
    const bool is_target = strncmp(syscall_name(e->abi, e->number), "symlink", 7) == 0;
    if (descriptors_path(d, e, is_target ? -1 : duty->fd, duty->path, path, 4200) && *path)
        return true;
    const struct descriptor_object *o =
        duty->fd < 0 ? NULL : descriptors_of(d, e->pid, (int)(int32_t)e->args[duty->fd]);
    snprintf(path, 4200, "%s", o ? o->name : "");
    return o && o->kind == DESCRIPTOR_FILE;
}

static void add_change_line(struct golden_effects *f, const struct descriptors *d,
                            const struct syscall_event *e, const struct syscall_duty *duty,
                            const struct change *c)
{
    char path[4200], to[4200] = "", *line = NULL;
    size_t size = 0;
    if (!find_changed_path(d, e, duty, path))
        return;
    if (duty->other >= 0 &&
        descriptors_path(d, e, duty->other > 1 ? duty->other - 1 : -1, duty->other, to,
                         sizeof to) &&
        duty->role == ROLE_RENAME)
        note_rename(f, d, path, to);
    FILE *out = open_memstream(&line, &size);
    if (!out)
        abort();
    fprintf(out, "%s: %s%s%s", c->what, path, *to ? " -> " : "", to);
    for (int i = 0; i < 3 && c->args[i]; i++)
        if (syscall_arg_shown(e, (unsigned)c->args[i])) {
            fputs(", ", out);
            syscall_write_arg(out, e, (unsigned)c->args[i], NULL);
        }
    fclose(out);
    LIST_ADD(f->changes, f->nchanges, f->changes_cap, line);
}

static void change_add(struct golden_effects *f, const struct descriptors *d,
                       const struct syscall_event *e, const struct syscall_duty *duty)
{
    const char *call = syscall_name(e->abi, e->number);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (words_have(table[i].calls, call)) {
            add_change_line(f, d, e, duty, &table[i]);
            return;
        }
}

/* Adds the mask for new files; each mask is added once. */
static void add_umask_line(struct golden_effects *f, const struct syscall_event *e)
{
    char *line = NULL;
    if (asprintf(&line, "umask: %03" PRIo64, e->args[0] & 0777) < 0)
        abort();
    for (size_t i = 0; i < f->nchanges; i++)
        if (strcmp(f->changes[i], line) == 0) {
            free(line);
            return;
        }
    LIST_ADD(f->changes, f->nchanges, f->changes_cap, line);
}

static bool is_successful_call(const struct syscall_event *e)
{
    return e->result >= 0 && !(e->flags & (SYSCALL_UNFINISHED | SYSCALL_NO_RESULT));
}

void golden_effects_before(struct golden_effects *f, const struct descriptors *d,
                           const struct syscall_event *e)
{
    const struct syscall_duty *duty = syscall_duty(e->abi, e->number);
    if (!is_successful_call(e))
        return;
    switch (duty->role) {
    case ROLE_WRITE:
    case ROLE_COPY:
        note_write(f, d, e, duty);
        break;
    case ROLE_REMOVE:
    case ROLE_RENAME:
    case ROLE_MKDIR:
    case ROLE_NODE:
    case ROLE_LINK:
    case ROLE_ATTRIBUTES:
        change_add(f, d, e, duty);
        break;
    default:
        if (strcmp(syscall_name(e->abi, e->number), "lseek") == 0)
            note_seek(f, d, e);
        else if (duty->role == ROLE_CHDIR)
            f->chdir = true;
        else if (strcmp(syscall_name(e->abi, e->number), "umask") == 0)
            add_umask_line(f, e);
    }
}

/* A file that open makes or empties has an effect even if nothing is written. */
void golden_effects_after(struct golden_effects *f, const struct descriptors *d,
                          const struct syscall_event *e)
{
    const struct syscall_duty *duty = syscall_duty(e->abi, e->number);
    uint64_t mode;
    if (duty->role != ROLE_OPEN || !is_successful_call(e))
        return;
    const uint64_t flags = golden_open_flags(e, duty, &mode);
    const struct descriptor_object *o = descriptors_of(d, e->pid, (int)e->result);
    if (!o || o->kind != DESCRIPTOR_FILE || !(flags & (O_CREAT | O_TRUNC)))
        return;
    struct written *w = written_to(f, o->index);
    w->begun = true;
    if (w->bytes)
        place_add(w, flags & O_TRUNC, 0);
    w->made |= (flags & O_CREAT) && (flags & O_EXCL);
    w->emptied |= (flags & O_TRUNC) != 0;
    if (flags & O_CREAT && !w->has_mode)
        w->mode = mode;
    w->has_mode |= (flags & O_CREAT) != 0;
}

void golden_effects_stream(struct golden_effects *f, const char *name, uint64_t bytes,
                           const char *sha256)
{
    if (f->nstreams == 2)
        return;
    f->streams[f->nstreams].bytes = bytes;
    snprintf(f->streams[f->nstreams].name, sizeof f->streams[0].name, "%s", name);
    snprintf(f->streams[f->nstreams].sha256, sizeof f->streams[0].sha256, "%s", sha256);
    f->nstreams++;
}

static bool is_stream(const struct golden_effects *f, const struct descriptor_object *o)
{
    for (int i = 0; i < f->nstreams; i++)
        if (o->kind == DESCRIPTOR_STANDARD && strcmp(f->streams[i].name, o->name) == 0)
            return true;
    return false;
}

/* Whether the content of the file can be read at the end. */
static bool ask_content(const struct golden_effects *f, const struct written *w,
                        const struct descriptor_object *o, golden_content content, char *hex)
{
    const char *name = w->renamed ? w->renamed : o->name;
    return content && o->kind == DESCRIPTOR_FILE && (name[0] == '/' || !f->chdir) &&
           content(name, hex);
}

/* Writes the digest of the written bytes. If they were not all seen, or not written in order, it is
 * the digest of the file at the end; if the file is gone, a hash of the positions is added. */
static void write_digest(FILE *out, const struct golden_effects *f, const struct written *w,
                         const struct descriptor_object *o, golden_content content)
{
    char hex[SHA256_DIGEST_STRING_LENGTH];
    if (!w->bytes)
        return;
    if ((w->places || w->digested != w->bytes) && ask_content(f, w, o, content, hex)) {
        fprintf(out, ", sha256 %s of the file at the end", hex);
        return;
    }
    SHA2_CTX copy = w->digest;
    SHA256End(&copy, hex);
    if (w->digested == w->bytes)
        fprintf(out, ", sha256 %s", hex);
    else
        fputs(", content not seen", out);
    if (w->places)
        fprintf(out, ", places %016" PRIx64, w->places);
}

static char *written_line(const struct golden_effects *f, const struct written *w,
                          const struct descriptor_object *o, const char *name,
                          golden_content content)
{
    char *line = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&line, &size);
    if (!out)
        abort();
    fprintf(out, "%s%s: %" PRIu64 " bytes", o->kind == DESCRIPTOR_FILE ? "file " : "", name,
            w->bytes);
    write_digest(out, f, w, o, content);
    fprintf(out, "%s%s", w->made ? ", made" : "", w->emptied ? ", emptied" : "");
    if (w->has_mode)
        fprintf(out, ", mode %#04" PRIo64, w->mode & 07777);
    fclose(out);
    return line;
}

/* Whether bytes written to this object are discarded. */
static bool is_sink(const struct descriptor_object *o)
{
    return o->kind == DESCRIPTOR_FILE && words_have("/dev/null /dev/zero /dev/full", o->name);
}

void golden_effects_lines(const struct golden_effects *f, const struct descriptors *d,
                          const struct golden_naming *names, golden_content content,
                          struct golden_section *out)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct descriptor_object *o = f->objects[i] ? descriptors_at(d, i) : NULL;
        if (o && f->objects[i]->begun && !is_stream(f, o) && !is_sink(o))
            golden_section_add(
                out, written_line(f, f->objects[i], o, golden_naming_of(names, o), content));
    }
    for (int i = 0; i < f->nstreams; i++) {
        char *line = NULL;
        if (f->streams[i].bytes &&
            asprintf(&line, "%s: %" PRIu64 " bytes, sha256 %s", f->streams[i].name,
                     f->streams[i].bytes, f->streams[i].sha256) < 0)
            abort();
        if (line)
            golden_section_add(out, line);
    }
    for (size_t i = 0; i < f->nchanges; i++)
        golden_section_add(out, xstrdup(f->changes[i]));
}

void golden_effects_sort(struct golden *g)
{
    if (g->n && g->sections[0].n > 2)
        qsort(g->sections[0].lines + 1, g->sections[0].n - 1, sizeof *g->sections[0].lines,
              order_texts);
}

struct golden_effects *golden_effects_new(void)
{
    return xcalloc(1, sizeof(struct golden_effects));
}

void golden_effects_free(struct golden_effects *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->n; i++) {
        if (f->objects[i])
            free(f->objects[i]->renamed);
        free(f->objects[i]);
    }
    for (size_t i = 0; i < f->nchanges; i++)
        free(f->changes[i]);
    free(f->objects);
    free(f->changes);
    free(f);
}
