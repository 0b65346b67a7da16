#include "engine/syscalls/stacks.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hash_table.h"
#include "base/list.h"
#include "base/print.h"
#include "base/strings.h"

struct syscall_stacks {
    atomic_int refs;
    struct strings strings;
    struct arena arena;
    const struct syscall_frame **frames;
    const struct syscall_stack **list;
    size_t nframes, cap_frames, n, cap;
    struct hash_table by_frame, by_frames;
    size_t used, limit;
    uint64_t refused;
};

struct syscall_stacks *syscall_stacks_new(size_t limit)
{
    struct syscall_stacks *s = xcalloc(1, sizeof *s);
    s->limit = limit;
    atomic_init(&s->refs, 1);
    return s;
}

struct syscall_stacks *syscall_stacks_ref(struct syscall_stacks *s)
{
    atomic_fetch_add(&s->refs, 1);
    return s;
}

void syscall_stacks_free(struct syscall_stacks *s)
{
    if (!s || atomic_fetch_sub(&s->refs, 1) > 1)
        return;
    strings_free(&s->strings);
    arena_free(&s->arena);
    hash_table_free(&s->by_frame);
    hash_table_free(&s->by_frames);
    free(s->frames);
    free(s->list);
    free(s);
}

/* Equal texts have equal pointers. */
static bool is_same_frame(const struct syscall_frame *a, const struct syscall_frame *b)
{
    return a->function == b->function && a->module == b->module && a->file == b->file &&
           a->address == b->address && a->offset == b->offset && a->line == b->line &&
           a->inlined == b->inlined;
}

static const struct syscall_frame *frame_add(struct syscall_stacks *s,
                                             const struct syscall_frame *frame)
{
    struct syscall_frame own = *frame;
    own.function = strings_add(&s->strings, frame->function);
    own.module = strings_add(&s->strings, frame->module);
    own.file = strings_add(&s->strings, frame->file);
    uint64_t hash = hash_number((uintptr_t)own.function, own.address);
    hash = hash_number(hash ^ (uintptr_t)own.module, (uint64_t)own.line << 1 | own.inlined);
    HASH_EACH (&s->by_frame, hash, i)
        if (is_same_frame(s->frames[i], &own))
            return s->frames[i];
    struct syscall_frame *kept = arena_alloc(&s->arena, sizeof *kept);
    *kept = own;
    kept->id = (uint32_t)s->nframes;
    hash_table_add(&s->by_frame, hash, s->nframes);
    LIST_ADD(s->frames, s->nframes, s->cap_frames, kept);
    s->used += sizeof *kept + 2 * sizeof(void *);
    return kept;
}

const struct syscall_stack *
syscall_stacks_add(struct syscall_stacks *s, const struct syscall_frame *frames, size_t n, bool cut)
{
    const struct syscall_frame *list[SYSCALL_FRAMES_MAX];
    /* A program that compiles code at run time may make new names without end. */
    const bool full = s->used + s->strings.bytes > s->limit;
    if (n == 0 || n > SYSCALL_FRAMES_MAX)
        return NULL;
    for (size_t i = 0; i < n && !full; i++)
        list[i] = frame_add(s, &frames[i]);
    if (full) {
        s->refused++;
        return NULL;
    }
    const uint64_t hash = hash_bytes(cut, list, n * sizeof *list);
    HASH_EACH (&s->by_frames, hash, i) {
        const struct syscall_stack *k = s->list[i];
        if (k->n == n && k->cut == cut && memcmp(k->frames, list, n * sizeof *list) == 0)
            return k;
    }
    struct syscall_stack *kept = arena_alloc(&s->arena, sizeof *kept);
    const struct syscall_frame **own = arena_alloc(&s->arena, n * sizeof *list);
    memcpy(own, list, n * sizeof *list);
    *kept =
        (struct syscall_stack){.id = (uint32_t)s->n, .n = (uint32_t)n, .cut = cut, .frames = own};
    hash_table_add(&s->by_frames, hash, s->n);
    LIST_ADD(s->list, s->n, s->cap, kept);
    s->used += sizeof *kept + n * sizeof *list + 2 * sizeof(void *);
    return kept;
}

uint64_t syscall_stacks_refused(const struct syscall_stacks *s)
{
    return s->refused;
}

/* --- reading a stack --- */

const char *syscall_frame_module(const struct syscall_frame *f)
{
    const char *slash = strrchr(f->module, '/');
    return slash && slash[1] ? slash + 1 : f->module;
}

/* Every call goes through these libraries, so they do not count as its origin. */
static bool is_of_c_library(const struct syscall_frame *f)
{
    static const char *const names[] = {"libc.so",    "libc-2.",   "libpthread", "librt.so",
                                        "libdl.so",   "ld-linux",  "ld-2.",      "ld-musl",
                                        "libc.musl-", "libanl.so", "[vdso]"};
    const char *module = syscall_frame_module(f);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(module, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Whether the text begins with a word of the list, followed by `end`. Spaces separate the words. */
static bool begins_with_one(const char *text, const char *list, char end)
{
    for (const char *at = list; *at; at += strspn(at, " ")) {
        const size_t n = strcspn(at, " ");
        if (strncmp(text, at, n) == 0 && text[n] == end)
            return true;
        at += n;
    }
    return false;
}

/* Whether file is of Rust's libraries: rustc writes /rustc/HASH/library/std/…, distributions
 * library/std/…, rust-src …/rustlib/src/rust/library/…; their dependencies are in /rust/deps/.
 * Source: rustc --remap-path-prefix in the standard library's own build. */
static bool is_of_rust(const char *file)
{
    static const char crates[] = "std core alloc proc_macro test unwind panic_unwind panic_abort "
                                 "compiler-builtins backtrace stdarch portable-simd";
    const char *library = strncmp(file, "library/", 8) == 0 ? file + 8 : NULL;
    const char *rustc = strstr(file, "/rustc/");
    const size_t n = strlen(file);
    if (n < 3 || strcmp(file + n - 3, ".rs") != 0)
        return false;
    if (strstr(file, "/rustlib/src/rust/") || strncmp(file, "/rust/deps/", 11) == 0)
        return true;
    return (library && begins_with_one(library, crates, '/')) ||
           (rustc && strstr(rustc, "/library/"));
}

/* Whether file is a header of C++'s library, whose functions are inlined. */
static bool is_of_cxx(const char *file)
{
    return strstr(file, "/include/c++/") != NULL;
}

/* The length of the path of Go's own sources, "/usr/local/go/src/", if the frame is of Go's
 * runtime; with -trimpath 0. -1: the frame is not of the runtime. */
static long go_root(const struct syscall_frame *f)
{
    static const char runtime[] = "runtime";
    const long size = sizeof runtime - 1;
    const char *slash = strrchr(f->file, '/');
    const long at = slash ? slash - f->file - size : -1;
    if (strncmp(f->function, "runtime.", 8) != 0 || at < 0 || (at > 0 && f->file[at - 1] != '/') ||
        memcmp(f->file + at, runtime, (size_t)size) != 0)
        return -1;
    return at;
}

/* Top folders of go/src. A program's own packages are never in them. Source: go list std. */
static const char go_folders[] =
    "archive bufio bytes cmp compress container context crypto database debug embed encoding "
    "errors "
    "expvar flag fmt go hash html image index internal io iter log maps math mime net os path "
    "plugin reflect regexp runtime slices sort strconv strings structs sync syscall testing text "
    "time unicode unique unsafe vendor weak";

static bool is_of_go(const struct syscall_stack *stack, const struct syscall_frame *f)
{
    for (uint32_t i = 0; i < stack->n; i++) {
        const struct syscall_frame *known = stack->frames[i];
        const long root = go_root(known);
        if (root >= 0)
            return strncmp(f->file, known->file, (size_t)root) == 0 &&
                   begins_with_one(f->file + root, go_folders, '/') &&
                   strncmp(f->function, "main.", 5) != 0;
    }
    return false;
}

/* How near a frame is to the program's own code; the smallest is the nearest. */
enum nearness { FRAME_OWN, FRAME_OF_LANGUAGE, FRAME_OF_C_LIBRARY };

static enum nearness nearness_of(const struct syscall_stack *stack, const struct syscall_frame *f)
{
    if (is_of_c_library(f))
        return FRAME_OF_C_LIBRARY;
    if (is_of_rust(f->file) || is_of_cxx(f->file) || is_of_go(stack, f))
        return FRAME_OF_LANGUAGE;
    return FRAME_OWN;
}

const struct syscall_frame *syscall_stack_origin(const struct syscall_stack *stack)
{
    const struct syscall_frame *placed[FRAME_OF_C_LIBRARY + 1] = {NULL}, *named = NULL;
    for (uint32_t i = 0; stack && i < stack->n; i++) {
        const struct syscall_frame *f = stack->frames[i];
        const enum nearness near = nearness_of(stack, f);
        if (f->line > 0 && near == FRAME_OWN)
            return f;
        if (f->line > 0 && !placed[near])
            placed[near] = f;
        if (!named && near != FRAME_OF_C_LIBRARY && f->function[0])
            named = f;
    }
    if (placed[FRAME_OF_LANGUAGE])
        return placed[FRAME_OF_LANGUAGE];
    return placed[FRAME_OF_C_LIBRARY] ? placed[FRAME_OF_C_LIBRARY] : named;
}

const struct syscall_frame *syscall_stack_maker(const struct syscall_stack *stack)
{
    const struct syscall_frame *placed = NULL, *named = NULL, *any = NULL;
    for (uint32_t i = 0; stack && i < stack->n; i++) {
        const struct syscall_frame *f = stack->frames[i];
        const enum nearness near = nearness_of(stack, f);
        if (near == FRAME_OF_C_LIBRARY)
            continue;
        if (f->line > 0 && near == FRAME_OWN)
            return f;
        placed = placed || f->line <= 0 ? placed : f;
        named = named || !f->function[0] ? named : f;
        any = any ? any : f;
    }
    if (placed)
        return placed;
    if (named)
        return named;
    return any ? any : syscall_stack_origin(stack);
}

const char *syscall_frame_name(const struct syscall_frame *f, char *out, size_t size)
{
    if (f->function[0])
        return f->function;
    snprintf(out, size, "%.100s+0x%" PRIx64, syscall_frame_module(f), f->address);
    return out;
}

void syscall_frame_line(const struct syscall_frame *f, char *out, size_t size)
{
    char name[256];
    const char *slash = strrchr(f->file, '/');
    const char *function = syscall_frame_name(f, name, sizeof name);
    if (f->line > 0)
        print_line(out, size, "%s%s (%s:%d)", function, f->inlined ? ", inlined" : "",
                   slash ? slash + 1 : f->file, f->line);
    else
        print_line(out, size, "%s%s (%s)", function, f->inlined ? ", inlined" : "",
                   syscall_frame_module(f));
}
