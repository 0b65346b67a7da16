/* Writes into rings, takes and frees them. */
#include <asm/unistd.h>
#include <linux/futex.h>
#include <linux/mman.h>

#include "recorder/recorder.h"

enum {
    SET_GS = 0x1001,
    WAIT_NS = 20 * 1000 * 1000,
    GONE_AFTER = 10, /* after this many waits without a beat, checks for rooftop */
    NO_SUCH_PROCESS = 3
};

static uint64_t chunks[SYSCALL_RING_CHUNKS]; /* addresses of attached chunks; 0: not yet */

struct syscall_ring *ring_here(void)
{
    struct syscall_ring *r;
    __asm__ volatile("mov %%gs:%c1, %0" : "=r"(r) : "i"(SYSCALL_RING_SELF));
    return r;
}

/* --- the bell and answers --- */

static void futex_wait(uint32_t *word, uint32_t value)
{
    struct {
        int64_t s, ns;
    } t = {0, WAIT_NS};
    CALL4(__NR_futex, word, FUTEX_WAIT, value, &t);
}

/* Wakes rooftop, if it sleeps. */
static void ring_bell(void)
{
    struct syscall_control *c = recorder_control;
    __atomic_fetch_add(&c->bell, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&c->asleep, __ATOMIC_SEQ_CST))
        CALL3(__NR_futex, &c->bell, FUTEX_WAKE, 1);
}

/* The last beat that a waiting task saw from rooftop, and its waits since then. */
struct patience {
    uint32_t beat, waits;
};

/* Whether rooftop has ended. Waits for a rooftop that is only stopped (SIGSTOP). */
static bool rooftop_is_gone(struct patience *p)
{
    struct syscall_control *c = recorder_control;
    const uint32_t beat = __atomic_load_n(&c->beat, __ATOMIC_RELAXED);
    if (__atomic_load_n(&c->gone, __ATOMIC_RELAXED))
        return true;
    if (beat != p->beat)
        p->waits = 0;
    p->beat = beat;
    if (p->waits++ < GONE_AFTER || CALL2(__NR_kill, c->rooftop, 0) != -NO_SUCH_PROCESS)
        return false;
    __atomic_store_n(&c->gone, 1, __ATOMIC_RELAXED);
    return true;
}

uint32_t ring_ask(struct syscall_ring *r, enum syscall_want want)
{
    struct patience p = {0};
    r->answer = 0;
    __atomic_store_n(&r->want, want, __ATOMIC_SEQ_CST);
    ring_bell();
    while (__atomic_load_n(&r->want, __ATOMIC_ACQUIRE) && !rooftop_is_gone(&p))
        futex_wait(&r->want, want);
    return r->answer;
}

/* --- records --- */

void recorder_pressed(uint64_t index)
{
    struct syscall_ring *r = ring_here();
    struct patience p = {0};
    const uint64_t half = SYSCALL_RING_RECORDS / 2;
    for (;;) {
        const uint32_t room = __atomic_load_n(&r->room, __ATOMIC_ACQUIRE);
        const uint64_t used = index - __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE);
        if (used < SYSCALL_RING_RECORDS) {
            r->limit = index - used + (used < half ? half : 2 * half);
            if (used >= half)
                ring_bell();
            return;
        }
        __atomic_store_n(&r->waiting, 1, __ATOMIC_SEQ_CST);
        ring_bell();
        if (index - __atomic_load_n(&r->tail, __ATOMIC_SEQ_CST) < SYSCALL_RING_RECORDS)
            continue;
        if (rooftop_is_gone(&p)) {
            r->limit = UINT64_MAX; /* from now on new records overwrite old ones */
            r->lost++;
            return;
        }
        futex_wait(&r->room, room);
    }
}

uint64_t ring_now(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* Claims n records. Returns the index of the first. */
static uint64_t claim_records(struct syscall_ring *r, uint64_t n)
{
    uint64_t i = n;
    __asm__ volatile("xadd %0, %1" : "+r"(i), "+m"(r->head));
    if (i + n - 1 >= r->limit)
        recorder_pressed(i + n - 1);
    return i;
}

static struct syscall_record *ring_record_at(const struct syscall_ring *r, uint64_t i)
{
    return (struct syscall_record *)r->base + (i & (SYSCALL_RING_RECORDS - 1));
}

static void finish_record(struct syscall_record *c, uint64_t i, uint32_t number,
                          enum syscall_record_kind kind)
{
    const uint64_t done = (uint64_t)syscall_record_stamp(i, kind) << 32 | number;
    __atomic_store_n((uint64_t *)(void *)c, done, __ATOMIC_RELEASE);
}

uint64_t ring_put(struct syscall_ring *r, uint64_t now, uint32_t number,
                  enum syscall_record_kind kind, const uint64_t *data)
{
    const uint64_t i = claim_records(r, 1);
    struct syscall_record *c = ring_record_at(r, i);
    c->tsc = now;
    for (int k = 0; k < 6; k++)
        c->data[k] = data[k];
    finish_record(c, i, number, kind);
    return i;
}

uint64_t ring_entry(struct syscall_ring *r, const struct frame *f)
{
    const uint64_t args[6] = {f->rdi, f->rsi, f->rdx, f->r10, f->r8, f->r9};
    return ring_put(r, ring_now(), (uint32_t)f->rax, SYSCALL_RING_ENTRY, args);
}

void ring_exit(struct syscall_ring *r, uint32_t number, uint64_t result, uint64_t entry)
{
    const uint64_t data[6] = {result, entry};
    ring_put(r, ring_now(), number, SYSCALL_RING_EXIT, data);
}

void ring_exit_of(struct syscall_ring *r, const struct frame *f, uint32_t number, uint64_t result)
{
    const uint64_t data[6] = {result, f->entry, f->began};
    ring_put(r, f->ended, number, SYSCALL_RING_EXIT, data);
}

/* The number of records for size bytes of memory. */
static uint32_t records_for_size(uint32_t size)
{
    const uint32_t each = sizeof(struct syscall_record);
    const uint32_t rest = size > SYSCALL_RING_INLINE ? size - SYSCALL_RING_INLINE : 0;
    return 1 + (rest + each - 1) / each;
}

/* The spans for the bytes: in the first record, in those after it, and after the ring's end. */
static unsigned record_spans(const struct syscall_ring *r, uint64_t i, uint32_t records,
                             uint32_t size, struct span to[3])
{
    const uint64_t each = sizeof(struct syscall_record);
    const uint64_t rest = size > SYSCALL_RING_INLINE ? size - SYSCALL_RING_INLINE : 0;
    const uint64_t next = (i + 1) & (SYSCALL_RING_RECORDS - 1);
    const uint64_t straight = (SYSCALL_RING_RECORDS - next) * each;
    to[0] = (struct span){(uint64_t)&ring_record_at(r, i)->data[3], size - rest};
    if (records == 1)
        return 1;
    to[1] = (struct span){(uint64_t)ring_record_at(r, i + 1), rest < straight ? rest : straight};
    to[2] = (struct span){r->base, rest - to[1].n};
    return to[2].n ? 3 : 2;
}

/* The number of bytes up to and with the NUL; 0: there is none in the first n. */
static uint32_t text_length(const struct span *in, unsigned spans, uint32_t n)
{
    uint32_t length = 0;
    for (unsigned s = 0; s < spans; s++)
        for (uint64_t i = 0; i < in[s].n && length < n; i++, length++)
            if (!((const char *)in[s].base)[i])
                return length + 1;
    return 0;
}

uint32_t ring_bytes(struct syscall_ring *r, struct ring_piece *p)
{
    struct span to[3];
    const uint32_t records = records_for_size(p->size);
    const uint64_t i = claim_records(r, records);
    struct syscall_record *c = ring_record_at(r, i);
    const unsigned spans = record_spans(r, i, records, p->size, to);
    uint32_t got = (uint32_t)copy_in_spans(to, spans, p->address, p->size);
    const uint32_t text = p->flags & SYSCALL_BYTES_TEXT ? text_length(to, spans, got) : 0;
    if (text) {
        got = text;
        p->flags = (p->flags & ~(uint32_t)SYSCALL_BYTES_CUT) | SYSCALL_BYTES_WHOLE;
    } else if ((p->flags & SYSCALL_BYTES_TEXT) && got < p->size) {
        p->flags |= SYSCALL_BYTES_BAD;
    }
    c->tsc = p->now;
    c->data[0] = p->entry;
    c->data[1] = p->address;
    c->data[2] = got;
    finish_record(c, i, p->flags | records << 8, SYSCALL_RING_BYTES);
    return got;
}

void ring_task(struct syscall_ring *r, uint32_t tid, uint32_t pid, uint32_t parent, uint64_t flags)
{
    const uint64_t data[6] = {tid, pid, parent, flags};
    ring_put(r, ring_now(), 0, SYSCALL_RING_TASK, data);
}

/* --- taking and ending --- */

static uint64_t attach_chunk(uint32_t chunk)
{
    uint64_t at = __atomic_load_n(&chunks[chunk], __ATOMIC_ACQUIRE), none = 0;
    if (at)
        return at;
    const long r = CALL3(__NR_shmat, recorder_control->chunk_ids[chunk], 0, 0);
    if (call_failed(r))
        return 0;
    if (__atomic_compare_exchange_n(&chunks[chunk], &none, (uint64_t)r, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST))
        return (uint64_t)r;
    CALL1(__NR_shmdt, r); /* another thread was faster */
    return none;
}

/* Takes a free ring. Returns its number, or -1. */
static long free_ring(uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        uint32_t is = SYSCALL_RING_FREE;
        uint32_t *state = &recorder_control->states[i];
        if (__atomic_load_n(state, __ATOMIC_RELAXED) == is &&
            __atomic_compare_exchange_n(state, &is, SYSCALL_RING_TAKEN, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
            __atomic_store_n(&recorder_control->hint, i, __ATOMIC_RELAXED);
            return (long)i;
        }
    }
    return -1;
}

static long find_ring(void)
{
    struct syscall_control *c = recorder_control;
    struct patience p = {0};
    for (;;) {
        const uint32_t n = __atomic_load_n(&c->chunks, __ATOMIC_ACQUIRE);
        const uint32_t rings = n * SYSCALL_RING_PER_CHUNK;
        const uint32_t hint = __atomic_load_n(&c->hint, __ATOMIC_RELAXED);
        long found = free_ring(hint, rings);
        if (found < 0)
            found = free_ring(0, hint < rings ? hint : rings);
        if (found >= 0 || n >= SYSCALL_RING_CHUNKS || rooftop_is_gone(&p))
            return found;
        __atomic_store_n(&c->chunk_wanted, 1, __ATOMIC_SEQ_CST);
        ring_bell();
        futex_wait(&c->chunks, n);
    }
}

/* Makes a ring that rooftop does not read, if there is no shared one, so that the program can go
 * on. */
static struct syscall_ring *mute_ring(void)
{
    const long at = CALL6(__NR_mmap, 0, SYSCALL_RING_SIZE, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (call_failed(at))
        return NULL;
    struct syscall_ring *r = (struct syscall_ring *)(uint64_t)at;
    r->number = UINT32_MAX;
    r->limit = UINT64_MAX;
    __atomic_fetch_add(&recorder_control->muted, 1, __ATOMIC_RELAXED);
    return r;
}

static struct syscall_ring *shared_ring(void)
{
    const long number = find_ring();
    const uint64_t chunk = number < 0 ? 0 : attach_chunk((uint32_t)number / SYSCALL_RING_PER_CHUNK);
    if (!chunk) {
        if (number >= 0)
            __atomic_store_n(&recorder_control->states[number], SYSCALL_RING_FREE,
                             __ATOMIC_RELEASE);
        return NULL;
    }
    struct syscall_ring *r =
        (struct syscall_ring *)(chunk +
                                (uint32_t)number % SYSCALL_RING_PER_CHUNK * SYSCALL_RING_SIZE);
    r->number = (uint32_t)number;
    r->limit = r->tail + SYSCALL_RING_RECORDS / 2;
    return r;
}

struct syscall_ring *ring_take(int32_t parent, uint32_t flags)
{
    struct syscall_ring *r = shared_ring();
    if (!r)
        r = mute_ring();
    if (!r)
        return NULL;
    r->base = (uint64_t)r + SYSCALL_RING_PAGE;
    r->self = (uint64_t)r;
    r->parent = parent;
    r->flags = flags;
    r->depth = r->attached = r->sigsys_blocked = 0;
    r->want = r->waiting = 0;
    r->environment = r->environment_size = 0;
    r->stack_from = r->stack_to = 0;
    r->text_from = (uint64_t)recorder_text_from;
    r->text_to = (uint64_t)recorder_text_to;
    r->pass = (uint64_t)recorder_pass;
    return r;
}

/* Replaces n shared bytes by private memory. Copies the first `head` of each `each` bytes; the rest
 * is 0. */
static void replace_shared(uint64_t at, uint64_t n, uint64_t each, uint64_t head)
{
    n = (n + 4095) & ~UINT64_C(4095);
    const long copy =
        CALL6(__NR_mmap, 0, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (call_failed(copy))
        return;
    for (uint64_t i = 0; i + head <= n; i += each)
        memcpy((char *)copy + i, (const char *)at + i, head);
    CALL6(__NR_mremap, copy, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, at, 0);
}

void ring_part(void)
{
    for (unsigned i = 0; i < SYSCALL_RING_CHUNKS; i++)
        if (chunks[i])
            replace_shared(chunks[i], SYSCALL_RING_PER_CHUNK * SYSCALL_RING_SIZE, SYSCALL_RING_SIZE,
                           SYSCALL_RING_PAGE);
    replace_shared((uint64_t)recorder_control, sizeof *recorder_control, sizeof *recorder_control,
                   sizeof *recorder_control);
}

static void set_state(const struct syscall_ring *r, uint32_t state)
{
    if (r->number != UINT32_MAX)
        __atomic_store_n(&recorder_control->states[r->number], state, __ATOMIC_RELEASE);
}

void ring_claim(struct syscall_ring *r)
{
    r->pid = (int32_t)CALL0(__NR_getpid);
    r->tid = (int32_t)CALL0(__NR_gettid);
    set_state(r, SYSCALL_RING_USED);
}

void ring_enter(struct syscall_ring *r)
{
    CALL2(__NR_arch_prctl, SET_GS, r);
}

void ring_use(struct syscall_ring *r)
{
    ring_enter(r);
    ring_claim(r);
}

void ring_end(struct syscall_ring *r)
{
    set_state(r, SYSCALL_RING_ENDED);
}

void ring_drop(struct syscall_ring *r)
{
    set_state(r, SYSCALL_RING_FREE);
}
