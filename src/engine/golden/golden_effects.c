/* What leaves the processes of a run: bytes with their digest, files made, removed, renamed. */
#include <inttypes.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/order.h"
#include "engine/golden/golden_impl.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/memory.h"

/* What was written to one file, stream or socket. */
struct written {
    uint64_t bytes, digested;
    SHA2_CTX digest;
    bool begun;
};

struct golden_effects {
    struct written **objects; /* by the object's index; NULL: nothing */
    size_t n;
    /* Streams whose whole content is known, in place of what calls showed of them. */
    struct {
        char name[16], sha256[SHA256_DIGEST_STRING_LENGTH];
        uint64_t bytes;
    } streams[2];
    int nstreams;
    char **changes; /* of names: "removed: x" */
    size_t nchanges, changes_cap;
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

static uint64_t digest(struct written *w, const struct syscall_event *e, uint64_t address,
                       uint64_t wanted)
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
        if (digest(w, e, one[0], part) < part)
            return;
        left -= part;
    }
}

static void wrote(struct golden_effects *f, const struct descriptors *d,
                  const struct syscall_event *e, const struct syscall_duty *duty)
{
    const struct descriptor_object *o = descriptors_of(d, e->pid, (int)(int32_t)e->args[duty->fd]);
    if (!o || o->kind == DESCRIPTOR_PIPE || o->kind == DESCRIPTOR_HANDLE)
        return;
    struct written *w = written_to(f, o->index);
    w->bytes += (uint64_t)e->result;
    w->begun = true;
    if (duty->role != ROLE_WRITE)
        return;
    if (is_vector(syscall_name(e->abi, e->number)))
        digest_vector(w, e);
    else if (duty->size >= 0)
        digest(w, e, e->args[1], (uint64_t)e->result);
}

static void changed(struct golden_effects *f, const struct descriptors *d,
                    const struct syscall_event *e, const struct syscall_duty *duty,
                    const char *what)
{
    char path[4200], to[4200] = "", stable[4300], stable_to[4300] = "";
    if (!descriptors_path(d, e, duty->fd, duty->path, path, sizeof path))
        return;
    golden_stable_text(path, stable, sizeof stable);
    if (duty->other >= 0 &&
        descriptors_path(d, e, duty->other > 1 ? duty->other - 1 : -1, duty->other, to, sizeof to))
        golden_stable_text(to, stable_to, sizeof stable_to);
    char *line = NULL;
    if (asprintf(&line, "%s: %s%s%s", what, stable, *stable_to ? " -> " : "", stable_to) < 0)
        abort();
    LIST_ADD(f->changes, f->nchanges, f->changes_cap, line);
}

void golden_effects_call(struct golden_effects *f, const struct descriptors *d,
                         const struct syscall_event *e)
{
    const struct syscall_duty *duty = syscall_duty(e->abi, e->number);
    if (e->result < 0 || e->flags & (SYSCALL_UNFINISHED | SYSCALL_NO_RESULT))
        return;
    switch (duty->role) {
    case ROLE_WRITE:
    case ROLE_COPY:
        wrote(f, d, e, duty);
        break;
    case ROLE_REMOVE:
        changed(f, d, e, duty, "removed");
        break;
    case ROLE_RENAME:
        changed(f, d, e, duty, "renamed");
        break;
    case ROLE_MKDIR:
        changed(f, d, e, duty, "made directory");
        break;
    case ROLE_LINK:
        changed(f, d, e, duty, "linked");
        break;
    case ROLE_ATTRIBUTES:
        changed(f, d, e, duty, "changed attributes");
        break;
    default:
        break;
    }
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

static char *effect_line(const char *kind, const char *name, uint64_t bytes, const char *sha256,
                         const char *about)
{
    char *line = NULL;
    if (asprintf(&line, "%s%s: %" PRIu64 " bytes%s%s%s", kind, name, bytes,
                 *sha256 ? ", sha256 " : "", sha256, about) < 0)
        abort();
    return line;
}

static char *written_line(const struct written *w, const struct descriptor_object *o,
                          golden_content content)
{
    char name[4300], hex[SHA256_DIGEST_STRING_LENGTH] = "";
    const char *kind = o->kind == DESCRIPTOR_FILE ? "file " : "", *about = "";
    golden_stable_text(o->name, name, sizeof name);
    if (w->digested == w->bytes && w->bytes) {
        SHA2_CTX copy = w->digest;
        SHA256End(&copy, hex);
    } else if (w->bytes) {
        bool read = content && o->kind == DESCRIPTOR_FILE && content(o->name, hex);
        about = read ? " of the file at the end" : ", content not seen";
        if (!read)
            hex[0] = 0;
    }
    return effect_line(kind, name, w->bytes, hex, about);
}

void golden_effects_lines(const struct golden_effects *f, const struct descriptors *d,
                          golden_content content, struct golden_section *out)
{
    size_t from = out->n;
    for (size_t i = 0; i < f->n; i++)
        if (f->objects[i] && f->objects[i]->begun && !is_stream(f, descriptors_at(d, i)))
            golden_section_add(out, written_line(f->objects[i], descriptors_at(d, i), content));
    for (int i = 0; i < f->nstreams; i++)
        if (f->streams[i].bytes)
            golden_section_add(out, effect_line("", f->streams[i].name, f->streams[i].bytes,
                                                f->streams[i].sha256, ""));
    for (size_t i = 0; i < f->nchanges; i++)
        golden_section_add(out, xstrdup(f->changes[i]));
    if (out->n > from)
        qsort(out->lines + from, out->n - from, sizeof *out->lines, order_texts);
}

struct golden_effects *golden_effects_new(void)
{
    return xcalloc(1, sizeof(struct golden_effects));
}

void golden_effects_free(struct golden_effects *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->n; i++)
        free(f->objects[i]);
    for (size_t i = 0; i < f->nchanges; i++)
        free(f->changes[i]);
    free(f->objects);
    free(f->changes);
    free(f);
}
