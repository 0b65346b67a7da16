#include "engine/code/code_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gpu/isa.h"

static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__";
enum { MAGIC = sizeof magic - 1, COUNT = 8, HEAD = 24, ENTRIES_MAX = 4096 };

struct bundle_entry {
    uint64_t offset, size;
    char target[ISA_NAME_BYTES];
};

bool code_bundle_is(const void *bytes, size_t n)
{
    return n >= MAGIC && memcmp(bytes, magic, MAGIC) == 0;
}

static uint64_t read_bundle_number(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static int refuse_damaged_bundle(const char *name, size_t at, const char *why, struct error *err)
{
    return error_set(err, ERROR_INPUT, EINVAL, NULL, name, "byte %zu: %s", at, why);
}

/* Reads the entry at *at and moves *at behind it. */
static int next_bundle_entry(const uint8_t *bytes, size_t n, size_t *at, struct bundle_entry *e,
                             const char *name, struct error *err)
{
    if (n - *at < HEAD)
        return refuse_damaged_bundle(name, *at, "the bundle ends inside its table", err);
    uint64_t length = read_bundle_number(bytes + *at + 16);
    e->offset = read_bundle_number(bytes + *at);
    e->size = read_bundle_number(bytes + *at + 8);
    if (length > n - *at - HEAD)
        return refuse_damaged_bundle(name, *at + 16, "a target's name passes the end of the bundle",
                                     err);
    if (e->offset > n || e->size > n - e->offset)
        return refuse_damaged_bundle(name, *at, "a bundle's entry passes the end of the bundle",
                                     err);
    snprintf(e->target, sizeof e->target, "%.*s", length < 1024 ? (int)length : 1024,
             (const char *)bytes + *at + HEAD);
    *at += HEAD + (size_t)length;
    return 0;
}

/* How specific an entry is: the largest number fits best. -1 if it does not run on isa. */
static int rank_bundle_target(const char *target, const char *isa)
{
    char why[256];
    struct isa code;
    if (!isa_parse(target, &code) || (isa && !isa_runs_on(target, isa, why, sizeof why)))
        return -1;
    bool generic = strstr(code.processor, "generic") != NULL;
    return 4 * !generic + 2 * (code.sramecc != ISA_ANY) + (code.xnack != ISA_ANY);
}

static void append_target_name(char *list, size_t size, const char *target)
{
    size_t n = strlen(list);
    snprintf(list + n, size - n, "%s%s", n ? ", " : "", target);
}

static int choose_failed(const char *name, const char *isa, uint64_t gpus, const char *list,
                         struct error *err)
{
    if (gpus == 0)
        return error_set(err, ERROR_INPUT, EINVAL, NULL, name,
                         "a bundle without code for AMD's GPUs");
    if (isa)
        return error_set(err, ERROR_INPUT, EINVAL, NULL, name,
                         "nothing in this bundle runs on %.60s: it has %.160s", isa, list);
    return error_set(err, ERROR_INPUT, EINVAL,
                     "say for which GPU, as rooftop gpu code object --gpu ARCH FILE does", name,
                     "a bundle of code for %" PRIu64 " targets: %.200s", gpus, list);
}

int code_bundle_find(const void *bytes, size_t n, const char *name, const char *isa,
                     const uint8_t **elf, size_t *elf_size, struct error *err)
{
    const uint8_t *p = bytes;
    struct bundle_entry e, chosen = {0};
    char list[256] = "";
    int best = -1;
    uint64_t gpus = 0;
    size_t at = MAGIC + COUNT;
    if (n < at)
        return refuse_damaged_bundle(name, n, "the bundle ends inside its head", err);
    uint64_t entries = read_bundle_number(p + MAGIC);
    if (entries > ENTRIES_MAX)
        return refuse_damaged_bundle(name, MAGIC, "a bundle with too many entries", err);
    for (uint64_t i = 0; i < entries; i++) {
        int rc = next_bundle_entry(p, n, &at, &e, name, err);
        if (rc != 0)
            return rc;
        if (rank_bundle_target(e.target, NULL) < 0)
            continue; /* code for the host */
        gpus++;
        append_target_name(list, sizeof list, e.target);
        int how = rank_bundle_target(e.target, isa);
        if (how > best) {
            best = how;
            chosen = e;
        }
    }
    if (best < 0 || (!isa && gpus != 1))
        return choose_failed(name, isa, gpus, list, err);
    *elf = p + chosen.offset;
    *elf_size = (size_t)chosen.size;
    return 0;
}
