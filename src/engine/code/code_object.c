#include "engine/code/code_object.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/code/code_impl.h"
#include "engine/code/kernel_name.h"
#include "gpu/code_elf.h"

enum { NAME_BYTES = 4096 };

/* --- names --- */

static const char *object_text(struct code_object *c, struct code_text t)
{
    return t.p ? arena_strndup(&c->arena, t.p, t.n) : "";
}

/* --- kernels --- */

static int read_kernel_args(struct code_object *c, struct code_kernel *k,
                            struct code_note_kernel *n, struct error *err)
{
    struct code_note_arg a;
    const char *what = k->name;
    if (n->nargs > CODE_ARGS_MAX)
        return error_set(err, ERROR_INPUT, EINVAL, NULL, c->name, "kernel %.80s has %u arguments",
                         what, n->nargs);
    k->args = arena_alloc(&c->arena, (n->nargs + 1) * sizeof *k->args);
    while (code_note_next_arg(n, &a)) {
        struct code_arg *to = &k->args[k->nargs++];
        *to = (struct code_arg){
            .name = object_text(c, a.name),
            .type_name = object_text(c, a.type_name),
            .kind = a.kind,
            .kind_name = a.kind ? code_arg_table[a.kind].name : object_text(c, a.kind_name),
            .offset = a.offset,
            .size = a.size,
            .address_space = object_text(c, a.address_space),
            .access = object_text(c, a.access),
            .actual_access = object_text(c, a.actual_access),
            .pointee_align = a.pointee_align,
            .is_const = a.is_const,
            .is_restrict = a.is_restrict,
            .is_volatile = a.is_volatile,
            .is_pipe = a.is_pipe,
        };
        if (code_arg_table[a.kind].role == CODE_ROLE_PROGRAM && k->nexplicit + 1 == k->nargs)
            k->nexplicit++;
    }
    if (n->args.bad)
        return error_set(err, ERROR_INPUT, EINVAL, NULL, c->name,
                         "metadata, arguments of kernel %.80s, byte %zu: %s", what,
                         msgpack_at(&n->args), n->args.bad);
    return 0;
}

static int read_code_kernel(struct code_object *c, const struct code_index *x,
                            struct code_note_kernel *n, struct error *err)
{
    char plain[NAME_BYTES];
    struct code_kernel *k = &c->kernels[c->nkernels++];
    *k = (struct code_kernel){
        .name = object_text(c, n->name),
        .symbol = object_text(c, n->symbol),
        .kernarg_size = n->kernarg_size,
        .kernarg_align = n->kernarg_align,
        .group_size = n->group_size,
        .private_size = n->private_size,
        .wavefront_size = n->wavefront_size,
        .max_flat_workgroup_size = n->max_flat_workgroup_size,
        .sgprs = n->sgprs,
        .vgprs = n->vgprs,
        .agprs = n->agprs,
        .sgpr_spills = n->sgpr_spills,
        .vgpr_spills = n->vgpr_spills,
        .dynamic_stack = n->dynamic_stack,
    };
    memcpy(k->required_workgroup_size, n->required_workgroup_size,
           sizeof k->required_workgroup_size);
    k->demangled = arena_strdup(&c->arena, kernel_full_name(k->name, plain, sizeof plain));
    code_index_kernel(x, k);
    return read_kernel_args(c, k, n, err);
}

static int bad_metadata(const struct code_object *c, const struct code_note *n, struct error *err)
{
    return error_set(err, ERROR_INPUT, EINVAL, NULL, c->name, "metadata, byte %zu: %s",
                     msgpack_at(&n->r), n->r.bad);
}

static int read_code_kernels(struct code_object *c, const struct code_index *x,
                             struct code_note *note, struct error *err)
{
    struct code_note_kernel k;
    if (note->left > CODE_KERNELS_MAX)
        return error_set(err, ERROR_INPUT, EINVAL, NULL, c->name, "%u kernels: too many",
                         note->left);
    c->kernels = arena_alloc(&c->arena, (note->left + 1) * sizeof *c->kernels);
    while (code_note_next(note, &k)) {
        int rc = read_code_kernel(c, x, &k, err);
        if (rc != 0)
            return rc;
    }
    return note->r.bad ? bad_metadata(c, note, err) : 0;
}

/* --- the object --- */

/* Takes the ISA from the ELF flags, as the runtime does; from the metadata if they are unknown. */
static int read_isa(struct code_object *c, const struct code_elf *e, const struct code_note *note,
                    struct error *err)
{
    struct isa isa;
    char target[ISA_NAME_BYTES];
    snprintf(target, sizeof target, "%.*s", note->target.n < 1024 ? (int)note->target.n : 1024,
             note->target.p ? note->target.p : "");
    if (!isa_of_flags(e->flags, e->version, &isa) && !isa_parse(target, &isa))
        return error_set(err, ERROR_INPUT, EINVAL, NULL, c->name,
                         "code for a processor that is not known here (flags 0x%x)", e->flags);
    isa_format(&isa, c->isa, sizeof c->isa);
    return 0;
}

static int bad_elf(const struct code_object *c, const struct code_elf *e, struct error *err)
{
    return error_set(err, ERROR_INPUT, EINVAL, NULL, c->name, "byte %zu: %s", e->at, e->bad);
}

static int read_code_elf(struct code_object *c, struct error *err)
{
    struct code_elf e;
    struct code_note note;
    const uint8_t *bytes;
    size_t n;
    if (!code_elf_open(&e, c->elf, c->elf_size))
        return bad_elf(c, &e, err);
    c->version = e.version;
    if (!code_elf_metadata(&e, &bytes, &n)) {
        if (e.bad)
            return bad_elf(c, &e, err);
        return error_set(err, ERROR_INPUT, EINVAL, NULL, c->name,
                         "it has no metadata, so that nothing is known of its kernels");
    }
    if (!code_note_open(&note, bytes, n))
        return bad_metadata(c, &note, err);
    int rc = read_isa(c, &e, &note, err);
    struct code_index x = {0};
    if (rc == 0 && !code_index_read(&x, &e))
        rc = bad_elf(c, &e, err);
    if (rc == 0)
        rc = read_code_kernels(c, &x, &note, err);
    if (rc == 0)
        rc = code_index_variables(&x, c, err);
    code_index_free(&x);
    return rc;
}

int code_object_read(struct code_object **out, const void *bytes, size_t n, const char *name,
                     const char *isa, struct error *err)
{
    struct code_object *c = xcalloc(1, sizeof *c);
    int rc = 0;
    *out = NULL;
    c->name = arena_strdup(&c->arena, name);
    c->elf = bytes;
    c->elf_size = n;
    if (code_packed_is(bytes, n)) {
        rc = code_packed_unpack(bytes, n, c->name, &c->unpacked, &c->elf_size, err);
        c->elf = c->unpacked;
    }
    if (rc == 0 && code_bundle_is(c->elf, c->elf_size))
        rc = code_bundle_find(c->elf, c->elf_size, c->name, isa, &c->elf, &c->elf_size, err);
    if (rc == 0)
        rc = read_code_elf(c, err);
    if (rc == 0)
        *out = c;
    else
        code_object_free(c);
    return rc;
}

/* Reads the whole file. */
static int read_code_object_file(const char *path, void **bytes, size_t *n, struct error *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *bytes = NULL;
    if (fd < 0 || fstat(fd, &st) != 0) {
        int code = errno;
        if (fd >= 0)
            close(fd);
        return error_set(err, ERROR_INPUT, code, NULL, path, "%s", strerror(code));
    }
    if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > CODE_OBJECT_BYTES_MAX) {
        close(fd);
        return error_set(err, ERROR_INPUT, EINVAL, NULL, path, "%s",
                         S_ISREG(st.st_mode) ? "larger than 1 GiB: no code object" : "not a file");
    }
    char *p = *bytes = xcalloc(1, (size_t)st.st_size + 1);
    ssize_t got = 1;
    for (*n = 0; *n < (size_t)st.st_size && got > 0; *n += got > 0 ? (size_t)got : 0)
        got = pread(fd, p + *n, (size_t)st.st_size - *n, (off_t)*n);
    int code = got < 0 ? errno : 0;
    close(fd);
    return code ? error_set(err, ERROR_INPUT, code, NULL, path, "%s", strerror(code)) : 0;
}

int code_object_open(struct code_object **out, const char *path, const char *isa, struct error *err)
{
    void *bytes;
    size_t n = 0;
    *out = NULL;
    int rc = read_code_object_file(path, &bytes, &n, err);
    if (rc == 0)
        rc = code_object_read(out, bytes, n, path, isa, err);
    if (rc == 0)
        (*out)->owned = bytes;
    else
        free(bytes);
    return rc;
}

void code_object_free(struct code_object *c)
{
    if (!c)
        return;
    arena_free(&c->arena);
    free(c->owned);
    free(c->unpacked);
    free(c);
}

/* --- queries --- */

static bool is_kernel_called(const struct code_kernel *k, const char *name)
{
    size_t n = strlen(name);
    return strcmp(k->name, name) == 0 || strcmp(k->symbol, name) == 0 ||
           strcmp(k->demangled, name) == 0 ||
           (strncmp(k->symbol, name, n) == 0 && strcmp(k->symbol + n, ".kd") == 0);
}

const struct code_kernel *code_object_kernel(const struct code_object *c, const char *name)
{
    const struct code_kernel *found = NULL;
    char base[NAME_BYTES];
    for (uint32_t i = 0; i < c->nkernels; i++)
        if (is_kernel_called(&c->kernels[i], name))
            return &c->kernels[i];
    for (uint32_t i = 0; i < c->nkernels; i++) {
        const struct code_kernel *k = &c->kernels[i];
        size_t n = strlen(name);
        bool start = strncmp(k->demangled, name, n) == 0 && k->demangled[n] == '(';
        if (!start && strcmp(kernel_base_name(k->demangled, base, sizeof base), name) != 0)
            continue;
        if (found)
            return NULL;
        found = k;
    }
    return found;
}
