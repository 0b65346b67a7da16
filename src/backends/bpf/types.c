#include "backends/bpf/bpf_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

enum { BTF_BYTES_MAX = 256 << 20, DEPTH = 4 };

enum { TASK, SIGNAL, MEMORY, PROGRAM, THREAD, COUNTER, REQUEST, COMPLETION, STRUCTURES };
static const char *const structures[STRUCTURES] = {
    "task_struct", "signal_struct",  "mm_struct", "linux_binprm",
    "thread_info", "percpu_counter", "io_kiocb",  "io_cqe"};
static const char complete_type[] = "btf_trace_io_uring_complete";

struct btf {
    uint8_t *bytes;
    size_t n_bytes;
    bool mapped;
    const uint8_t *types;
    size_t ntypes; /* number of bytes of the types */
    const char *strings;
    size_t nstrings;
    uint32_t *offsets;          /* offset of type i + 1 */
    size_t n, at;               /* number of types in the index, and of their bytes */
    uint32_t found[STRUCTURES]; /* types of the structures; 0: none */
    uint32_t complete;          /* the type of complete_type; 0: none */
};

/* Reads the file, because kernels before 6.16 do not let it be mapped. */
static bool read_bytes(struct btf *b, int fd)
{
    size_t n = 0;
    b->bytes = xcalloc(b->n_bytes, 1);
    for (ssize_t got; n < b->n_bytes; n += (size_t)got)
        if ((got = read(fd, b->bytes + n, b->n_bytes - n)) <= 0)
            break;
    return n == b->n_bytes;
}

static bool take_bytes(struct btf *b, int fd)
{
    void *mapped = mmap(NULL, b->n_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    b->mapped = mapped != MAP_FAILED;
    if (!b->mapped)
        return read_bytes(b, fd);
    b->bytes = mapped;
    return true;
}

static void release_btf(struct btf *b)
{
    free(b->offsets);
    if (b->mapped)
        munmap(b->bytes, b->n_bytes);
    else
        free(b->bytes);
}

static bool take_parts(struct btf *b)
{
    struct btf_header h;
    memcpy(&h, b->bytes, sizeof h);
    if (h.magic != BTF_MAGIC || h.hdr_len > b->n_bytes)
        return false;
    const size_t rest = b->n_bytes - h.hdr_len;
    if (h.type_off > rest || h.type_len > rest - h.type_off || h.str_off > rest ||
        h.str_len > rest - h.str_off || h.str_len == 0 ||
        b->bytes[h.hdr_len + h.str_off + h.str_len - 1])
        return false;
    b->types = b->bytes + h.hdr_len + h.type_off;
    b->ntypes = h.type_len;
    b->strings = (const char *)b->bytes + h.hdr_len + h.str_off;
    b->nstrings = h.str_len;
    return true;
}

static int read_file(struct btf *b)
{
    const int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) != 0 || st.st_size < (off_t)sizeof(struct btf_header) ||
        st.st_size > BTF_BYTES_MAX) {
        close(fd);
        return -ENODATA;
    }
    b->n_bytes = (size_t)st.st_size;
    const bool there = take_bytes(b, fd);
    close(fd);
    return there && take_parts(b) ? 0 : -ENODATA;
}

/* The number of bytes that follow a struct btf_type. */
static size_t size_behind_type(const struct btf_type *t)
{
    const uint32_t n = BTF_INFO_VLEN(t->info);
    switch (BTF_INFO_KIND(t->info)) {
    case BTF_KIND_INT:
    case BTF_KIND_VAR:
    case 17: /* BTF_KIND_DECL_TAG */
        return 4;
    case BTF_KIND_ARRAY:
        return sizeof(struct btf_array);
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
        return n * sizeof(struct btf_member);
    case BTF_KIND_ENUM:
        return n * sizeof(struct btf_enum);
    case BTF_KIND_FUNC_PROTO:
        return n * sizeof(struct btf_param);
    case BTF_KIND_DATASEC:
        return n * sizeof(struct btf_var_secinfo);
    case 19: /* BTF_KIND_ENUM64 */
        return (size_t)n * 12;
    default:
        return 0;
    }
}

static const char *read_type_text(const struct btf *b, uint32_t offset)
{
    return offset < b->nstrings ? b->strings + offset : "";
}

/* Keeps the last type's number if it is one of the structures. */
static void note_structure(struct btf *b, const struct btf_type *t)
{
    const char *name = read_type_text(b, t->name_off);
    for (size_t i = 0; i < STRUCTURES; i++)
        if (!b->found[i] && strcmp(structures[i], name) == 0)
            b->found[i] = (uint32_t)b->n;
}

/* Adds the next type of the file to the index; false: there is none. */
static bool index_next(struct btf *b)
{
    struct btf_type t;
    if (b->ntypes - b->at < sizeof t)
        return false;
    memcpy(&t, b->types + b->at, sizeof t);
    const size_t more = sizeof t + size_behind_type(&t);
    if (more > b->ntypes - b->at)
        return false;
    b->offsets[b->n++] = (uint32_t)b->at;
    if (BTF_INFO_KIND(t.info) == BTF_KIND_STRUCT)
        note_structure(b, &t);
    else if (BTF_INFO_KIND(t.info) == BTF_KIND_TYPEDEF && !b->complete &&
             strcmp(read_type_text(b, t.name_off), complete_type) == 0)
        b->complete = (uint32_t)b->n;
    b->at += more;
    return true;
}

static bool all_found(const struct btf *b)
{
    for (size_t i = 0; i < STRUCTURES; i++)
        if (!b->found[i])
            return false;
    return b->complete != 0;
}

/* Reads types until all structures are found. Two thirds of the types come later and are read only
 * if a member leads there. */
static void find_types(struct btf *b)
{
    b->offsets = xcalloc(b->ntypes / sizeof(struct btf_type) + 1, sizeof *b->offsets);
    while (!all_found(b) && index_next(b))
        ;
}

/* Finds a type, or NULL. Its bytes are complete. */
static const uint8_t *type_at(struct btf *b, uint32_t id, struct btf_type *t)
{
    while (id > b->n && index_next(b))
        ;
    if (id == 0 || id > b->n)
        return NULL;
    const uint8_t *p = b->types + b->offsets[id - 1];
    memcpy(t, p, sizeof *t);
    return p + sizeof *t;
}

/* The member's offset in the structure, also inside members without a name; -1: none. */
static int find_member_offset(struct btf *b, uint32_t id, const char *name, int depth)
{
    struct btf_type t;
    const uint8_t *p = type_at(b, id, &t);
    const uint32_t kind = p ? BTF_INFO_KIND(t.info) : 0;
    if ((kind != BTF_KIND_STRUCT && kind != BTF_KIND_UNION) || depth == 0)
        return -1;
    for (uint32_t i = 0; i < BTF_INFO_VLEN(t.info); i++) {
        struct btf_member m;
        memcpy(&m, p + i * sizeof m, sizeof m);
        const uint32_t bits = BTF_INFO_KFLAG(t.info) ? BTF_MEMBER_BIT_OFFSET(m.offset) : m.offset;
        const char *its = read_type_text(b, m.name_off);
        if (strcmp(its, name) == 0)
            return (int)(bits / 8);
        const int inner = its[0] ? -1 : find_member_offset(b, m.type, name, depth - 1);
        if (inner >= 0)
            return (int)(bits / 8) + inner;
    }
    return -1;
}

static int find_members(struct btf *b, size_t which, const char *const *members, int *const *out)
{
    const uint32_t id = b->found[which];
    for (size_t i = 0; members[i]; i++)
        *out[i] = find_member_offset(b, id, members[i], DEPTH);
    return id ? 0 : -ENODATA;
}

/* The number of arguments of a function's type, or of a type that leads to one; -1: it is none. */
static int arguments_of(struct btf *b, uint32_t id)
{
    struct btf_type t;
    for (int depth = 0; depth < DEPTH && type_at(b, id, &t); depth++) {
        if (BTF_INFO_KIND(t.info) == BTF_KIND_FUNC_PROTO)
            return (int)BTF_INFO_VLEN(t.info);
        id = t.type;
    }
    return -1;
}

static void find_request(struct btf *b, struct kernel_types *k)
{
    const int completion = find_member_offset(b, b->found[REQUEST], "cqe", DEPTH);
    const int data = find_member_offset(b, b->found[COMPLETION], "user_data", DEPTH);
    k->request_ring = find_member_offset(b, b->found[REQUEST], "ctx", DEPTH);
    k->request_opcode = find_member_offset(b, b->found[REQUEST], "opcode", DEPTH);
    k->request_flags = find_member_offset(b, b->found[REQUEST], "flags", DEPTH);
    k->request_data = completion < 0 || data < 0 ? -1 : completion + data;
    k->complete_arguments = arguments_of(b, b->complete);
}

#define FIND(b, which, ...) find_members(b, which, (const char *const[]){__VA_ARGS__, NULL}

static int find_all(struct btf *b, struct kernel_types *k)
{
    int info = -1, status = -1, code;
    const int rc =
        FIND(b, TASK, "pid", "tgid", "exit_code", "signal", "mm", "thread_info"),
        (int *[]){&k->task_pid, &k->task_tgid, &k->task_exit_code, &k->task_signal, &k->task_mm,
                  &info}) |
        FIND(b, SIGNAL, "flags", "group_exit_code", "maxrss"),
        (int *[]){&k->signal_flags, &k->signal_code, &k->signal_maxrss}) |
        FIND(b, MEMORY, "arg_start", "arg_end", "rss_stat", "hiwater_rss"),
        (int *[]){&k->mm_arg_start, &k->mm_arg_end, &k->mm_rss, &k->mm_rss_peak}) |
        FIND(b, PROGRAM, "interp"), (int *[]){&k->program_name});
    code = FIND(b, THREAD, "status"), (int *[]){&status});
    struct btf_type counter = {0};
    const uint32_t id = b->found[COUNTER];
    k->counter_count = id ? find_member_offset(b, id, "count", DEPTH) : -1;
    k->counter_size = type_at(b, id, &counter) ? (int)counter.size : -1;
    k->task_status = code == 0 && info >= 0 && status >= 0 ? info + status : -1;
    return rc;
}

int kernel_types_read(struct kernel_types *out)
{
    struct btf b = {0};
    int rc = read_file(&b);
    if (rc == 0) {
        find_types(&b);
        rc = find_all(&b, out);
    }
    if (rc == 0)
        find_request(&b, out);
    const int needed[] = {out->task_pid,     out->task_tgid,    out->task_exit_code,
                          out->task_signal,  out->task_mm,      out->signal_flags,
                          out->signal_code,  out->mm_arg_start, out->mm_arg_end,
                          out->program_name, out->signal_maxrss};
    for (size_t i = 0; rc == 0 && i < sizeof needed / sizeof *needed; i++)
        if (needed[i] < 0)
            rc = -ENODATA;
    release_btf(&b);
    return rc;
}
