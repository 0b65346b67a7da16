/* Finds call sites in code. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backends/recorder/recorder_impl.h"
#include "base/arena.h"
#include "base/library.h"
#include "base/linkage.h"
#include "base/list.h"

#if defined(__x86_64__) && __has_include(<Zydis/Zydis.h>)
#include <Zydis/Zydis.h>
#include <pthread.h>

enum { JUMP = 5, SYSCALL = 2, LONGEST = 15 };

/* The library's functions that are used. */
static struct {
    ZyanStatus (*init)(ZydisDecoder *, ZydisMachineMode, ZydisStackWidth);
    ZyanStatus (*decode)(const ZydisDecoder *, const void *, ZyanUSize, ZydisDecodedInstruction *,
                         ZydisDecodedOperand *);
    bool there;
} zydis;
static pthread_once_t opened = PTHREAD_ONCE_INIT;

static void open_zydis(void)
{
    static const char *const names[] = {"libZydis.so.4.0", "libZydis.so.4", "libZydis.so"};
    static ZyanU64 (*version)(void);
    static const struct library_function functions[] = {
        {"ZydisDecoderInit", &zydis.init},
        {"ZydisDecoderDecodeFull", &zydis.decode},
        {"ZydisGetVersion", &version},
    };
    zydis.there = library_open(names, sizeof names / sizeof *names, functions,
                               sizeof functions / sizeof *functions) &&
                  ZYDIS_VERSION_MAJOR(version()) == ZYDIS_VERSION_MAJOR(ZYDIS_VERSION);
}

bool sites_available(struct error *why)
{
    pthread_once(&opened, open_zydis);
    if (zydis.there)
        return true;
    error_set(why, ERROR_UNSUPPORTED, ENOTSUP, linkage_help("apt-get install libzydis4.0"),
              "inject", "%s",
              linkage_reason("libZydis.so.4, which decodes machine code, is not installed"));
    return false;
}

/* A set of places in the code. */
struct places {
    uint8_t *bits;
    size_t n;
};

static struct places places_new(size_t n)
{
    return (struct places){xcalloc(n / 8 + 1, 1), n};
}

static void add_place(struct places *p, uint64_t at)
{
    if (at < p->n)
        p->bits[at / 8] |= (uint8_t)(1u << at % 8);
}

static bool has_place(const struct places *p, size_t at)
{
    return at < p->n && (p->bits[at / 8] >> at % 8 & 1);
}

static bool has_place_between(const struct places *p, size_t from, size_t to)
{
    while (from < to && !has_place(p, from))
        from++;
    return from < to;
}

struct walk {
    const uint8_t *code;
    size_t n;
    struct places starts, targets; /* starts of instructions; targets of branches */
    struct places movable;         /* starts of instructions that mean the same elsewhere */
    struct places calls;           /* starts of `syscall` */
};

/* Whether execution goes elsewhere here, or the instruction is only padding in front of code. */
static bool goes_elsewhere(const ZydisDecodedInstruction *i)
{
    switch (i->meta.category) {
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_WIDENOP:
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_SYSTEM:
        return true;
    default:
        return false;
    }
}

/* Notes an instruction. */
static void note_instruction(struct walk *w, size_t at, const ZydisDecodedInstruction *i,
                             const ZydisDecodedOperand *operands)
{
    bool movable = !goes_elsewhere(i);
    for (unsigned k = 0; k < i->operand_count; k++) {
        const ZydisDecodedOperand *o = &operands[k];
        const bool branch = o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && o->imm.is_relative;
        if (branch)
            add_place(&w->targets, at + i->length + (uint64_t)o->imm.value.s);
        if (branch || (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.base == ZYDIS_REGISTER_RIP))
            movable = false;
    }
    add_place(&w->starts, at);
    if (movable)
        add_place(&w->movable, at);
    if (i->mnemonic == ZYDIS_MNEMONIC_SYSCALL && i->length == SYSCALL)
        add_place(&w->calls, at);
}

static void walk_code(struct walk *w)
{
    ZydisDecodedInstruction i;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoder d;
    zydis.init(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (size_t at = 0; at < w->n;) {
        if (!ZYAN_SUCCESS(zydis.decode(&d, w->code + at, w->n - at, &i, operands))) {
            at++; /* perhaps data: the decoder finds instructions again after a few bytes */
            continue;
        }
        note_instruction(w, at, &i, operands);
        at += i.length;
    }
}

/* The begin of the instruction that ends at `at`, if it can be moved and is the only way to get
 * there; else `at`. */
static size_t movable_before(const struct walk *w, size_t at)
{
    if (has_place(&w->targets, at))
        return at;
    for (size_t i = at; i > 0 && at - i < LONGEST; i--)
        if (has_place(&w->starts, i - 1))
            return has_place(&w->movable, i - 1) ? i - 1 : at;
    return at;
}

/* The end of the instruction at `at`, if it can be moved; else `at`. */
static size_t movable_behind(const struct walk *w, size_t at)
{
    if (!has_place(&w->movable, at))
        return at;
    for (size_t i = at + 1; i <= w->n && i - at <= LONGEST; i++)
        if (i == w->n || has_place(&w->starts, i))
            return i;
    return at;
}

/* Whether a jump fits at `from`: no branch may lead into the middle of its bytes. */
static bool jump_fits(const struct walk *w, size_t from, size_t to, size_t taken)
{
    return to - from >= JUMP && to - from <= SYSCALL_RING_SITE_BYTES && from >= taken &&
           !has_place_between(&w->targets, from + 1, from + JUMP);
}

/* Chooses the site of the call at `at`, not below taken. Prefers instructions before the call that
 * are long enough for the jump, because the call itself then stays for branches to it; then those
 * behind it; then both. */
static bool choose_call_site(const struct walk *w, size_t at, size_t taken,
                             struct syscall_site *out)
{
    size_t from = at, to = at + SYSCALL;
    while (at - from < JUMP && movable_before(w, from) < from)
        from = movable_before(w, from);
    if (!(at - from >= JUMP && jump_fits(w, from, to, taken)))
        for (from = at;; from = movable_before(w, from)) {
            for (to = at + SYSCALL; to - from < JUMP && movable_behind(w, to) > to;)
                to = movable_behind(w, to);
            if (jump_fits(w, from, to, taken))
                break;
            if (movable_before(w, from) == from || at - from >= JUMP)
                return false;
        }
    out->before = (uint8_t)(at - from);
    out->after = (uint8_t)(to - at - SYSCALL);
    memcpy(out->bytes, w->code + from, to - from);
    return true;
}

static void take_sites(const struct walk *w, uint64_t offset, struct site_list *out)
{
    size_t taken = 0;
    for (size_t at = 0; at < w->n; at++) {
        struct syscall_site s = {0};
        if (!has_place(&w->calls, at))
            continue;
        if (!choose_call_site(w, at, taken, &s)) {
            out->lone++;
            continue;
        }
        s.offset = (uint32_t)(offset + at - s.before);
        taken = at + SYSCALL + s.after;
        LIST_ADD(out->list, out->n, out->cap, s);
    }
}

void sites_decode(const uint8_t *code, size_t n, uint64_t offset, struct site_list *out)
{
    if (!sites_available(NULL) || !memmem(code, n, "\x0f\x05", SYSCALL))
        return;
    struct walk w = {code, n, places_new(n), places_new(n), places_new(n), places_new(n)};
    walk_code(&w);
    take_sites(&w, offset, out);
    free(w.starts.bits);
    free(w.targets.bits);
    free(w.movable.bits);
    free(w.calls.bits);
}
#else
bool sites_available(struct error *why)
{
    error_set(why, ERROR_UNSUPPORTED, ENOTSUP, NULL, "inject", "%s",
#if defined(__x86_64__)
              "rooftop was built without libzydis-dev, which decodes machine code"
#else
              "the recorder is made for x86-64"
#endif
    );
    return false;
}

void sites_decode(const uint8_t *code, size_t n, uint64_t offset, struct site_list *out)
{
    (void)code;
    (void)n;
    (void)offset;
    (void)out;
}
#endif
