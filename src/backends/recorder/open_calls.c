/* Calls that have not returned, and the memory that their arguments point to. */
#include "backends/recorder/read_impl.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

enum { KEPT_MAX = 256 * 1024 * 1024 }; /* limit of bytes of memory in open calls */
enum { NR_WAIT4 = 61, NR_WAITID = 247 };

size_t open_calls_up_to(const struct ring_reader *in, uint64_t index)
{
    size_t i = in->nopen;
    while (i > 0 && in->open[i - 1].index != index)
        i--;
    return i;
}

/* Adds n bytes to the last piece if that is a text that ends at this address; else false. */
static bool extend_last_text(struct open_call *o, uint64_t address, uint32_t n)
{
    struct syscall_pieces *p = &o->pieces;
    struct syscall_piece *last = o->text && p->n > 0 ? &p->list[p->n - 1] : NULL;
    if (!last || last->address + last->size != address)
        return false;
    last->size += n;
    p->nbytes += n;
    return true;
}

/* Ends a text. The flags say whether it is whole, was cut, or could not be read, so that the piece
 * is removed. */
static void end_text(struct open_call *o, uint32_t flags)
{
    struct syscall_pieces *p = &o->pieces;
    o->text = (flags & ~(uint32_t)SYSCALL_BYTES_RETURN) == SYSCALL_BYTES_TEXT;
    if ((flags & SYSCALL_BYTES_BAD) && p->n > 0) {
        p->n--;
        p->nbytes = p->list[p->n].offset;
    } else if ((flags & SYSCALL_BYTES_CUT) && p->n > 0 && p->list[p->n - 1].size > 0) {
        p->list[p->n - 1].size--;
        p->list[p->n - 1].cut = 1;
        p->nbytes--;
    }
}

static void copy_bytes(uint8_t *to, const struct ring_view *v, const uint64_t *first, size_t n)
{
    const size_t here = n < SYSCALL_RING_INLINE ? n : SYSCALL_RING_INLINE;
    const size_t next = (v->index + 1) % SYSCALL_RING_RECORDS;
    const size_t straight = (SYSCALL_RING_RECORDS - next) * sizeof *v->records;
    const size_t rest = n - here, one = rest < straight ? rest : straight;
    memcpy(to, first, here);
    memcpy(to + here, v->records + next, one);
    memcpy(to + here + one, v->records, rest - one);
}

uint32_t open_call_bytes(struct rings *r, struct ring_reader *in, const struct ring_view *v,
                         const struct syscall_record *c)
{
    const size_t i = open_calls_up_to(in, c->data[0]);
    struct open_call *o = i > 0 ? &in->open[i - 1] : NULL;
    const uint32_t flags = c->number & 0xff, records = c->number >> 8;
    const uint64_t n = c->data[2], address = c->data[1];
    if (records == 0 || records > SYSCALL_RING_RECORDS)
        return 1;
    const uint64_t room = SYSCALL_RING_INLINE + (records - 1) * sizeof *v->records;
    const bool fits = o && n <= room && r->kept + n <= KEPT_MAX;
    uint8_t *to = fits ? syscall_pieces_room(&o->pieces, (size_t)n) : NULL;
    if (!to)
        return records;
    r->kept -= o->pieces.nbytes;
    copy_bytes(to, v, c->data + 3, (size_t)n);
    if (!(flags & SYSCALL_BYTES_TEXT) || !extend_last_text(o, address, (uint32_t)n))
        syscall_pieces_add(&o->pieces, address, (size_t)n, flags & SYSCALL_BYTES_RETURN, false);
    end_text(o, flags);
    r->kept += o->pieces.nbytes;
    return records;
}

static bool read_written_bytes(const struct open_call *o, uint64_t address, void *out, size_t size)
{
    size_t n = 0;
    struct syscall_event e = {0};
    syscall_pieces_lend(&o->pieces, &e);
    const uint8_t *bytes = address ? syscall_kept(&e, address, true, &n, NULL) : NULL;
    if (!bytes || n < size)
        return false;
    memcpy(out, bytes, size);
    return true;
}

pid_t open_call_waited(const struct open_call *o, int64_t result, int *status)
{
    siginfo_t info = {0};
    if (o->abi != SYSCALL_X86_64)
        return 0;
    if (o->number == NR_WAIT4 && result > 0 && result <= INT32_MAX)
        return read_written_bytes(o, o->args[1], status, sizeof *status) &&
                       (WIFEXITED(*status) || WIFSIGNALED(*status))
                   ? (pid_t)result
                   : 0;
    if (o->number != NR_WAITID || result != 0 ||
        !read_written_bytes(o, o->args[2], &info, sizeof info))
        return 0;
    if (info.si_code == CLD_EXITED)
        *status = (info.si_status & 0xff) << 8;
    else if (info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED)
        *status = (info.si_status & 0x7f) | (info.si_code == CLD_DUMPED ? 0x80 : 0);
    else
        return 0;
    return info.si_pid;
}
