/* Numbers in memory that calls read or write. */
#include "engine/syscalls/decode/types.h"

#define VALUE (d->e->args[arg])

/* Returns true with the number that the call wrote; else writes the address. */
static bool take_returned_number(struct decoder *d, unsigned arg, void *out, size_t n)
{
    if (has_result(d) && take(d, AT_RETURN, VALUE, out, n))
        return true;
    emit_address(d, VALUE);
    return false;
}

void write_int_out(struct decoder *d, unsigned arg)
{
    int32_t number;
    if (take_returned_number(d, arg, &number, sizeof number))
        emit(d, "[%d]", number);
}

void write_uint_out(struct decoder *d, unsigned arg)
{
    uint32_t number;
    if (take_returned_number(d, arg, &number, sizeof number))
        emit(d, "[%u]", number);
}

void write_id_out(struct decoder *d, unsigned arg)
{
    uint32_t id;
    if (!take_returned_number(d, arg, &id, sizeof id))
        return;
    emit_text(d, "[");
    emit_id(d, id);
    emit_text(d, "]");
}

void write_ulong_out(struct decoder *d, unsigned arg)
{
    uint64_t number = 0;
    if (take_returned_number(d, arg, &number, long_size(d)))
        emit(d, "[%llu]", (unsigned long long)number);
}

void write_ptr_out(struct decoder *d, unsigned arg)
{
    uint64_t address = 0;
    if (!take_returned_number(d, arg, &address, pointer_size(d)))
        return;
    emit_text(d, "[");
    emit_address(d, address);
    emit_text(d, "]");
}

/* A position that the call moves: [0] => [10]. */
void write_off_inout(struct decoder *d, unsigned arg)
{
    int64_t before, after;
    if (!take(d, AT_ENTRY, VALUE, &before, sizeof before)) {
        emit_address(d, VALUE);
        return;
    }
    emit(d, "[%lld]", (long long)before);
    if (has_result(d) && d->call->args[arg].type != SYSCALL_TYPE_off_in &&
        take(d, AT_RETURN, VALUE, &after, sizeof after) && after != before)
        emit(d, " => [%lld]", (long long)after);
}

static void write_number(struct decoder *d, uint64_t address)
{
    uint32_t id;
    bool when = d->call->args[1].type == SYSCALL_TYPE_gids_out;
    if (take(d, when, address, &id, sizeof id))
        emit_id(d, id);
    else
        emit_address(d, address);
}

void write_gids_in(struct decoder *d, unsigned arg)
{
    enum { MOST = 65536 }; /* NGROUPS_MAX, linux/limits.h */
    if (VALUE && other(d, arg) <= MOST)
        emit_array(d, VALUE, other(d, arg), 4, write_number);
    else
        emit_address(d, VALUE);
}

void write_gids_out(struct decoder *d, unsigned arg)
{
    if (VALUE && has_result(d)) /* without room the call only counts them */
        emit_array(d, VALUE, other(d, arg) ? (uint64_t)d->e->result : 0, 4, write_number);
    else
        emit_address(d, VALUE);
}

void write_fds_out(struct decoder *d, unsigned arg)
{
    int32_t fds[2];
    if (!take_returned_number(d, arg, fds, sizeof fds))
        return;
    emit_text(d, "[");
    emit_fd(d, fds[0]);
    emit_text(d, ", ");
    emit_fd(d, fds[1]);
    emit_text(d, "]");
}

/* One byte for each page. */
void write_mincore_out(struct decoder *d, unsigned arg)
{
    enum { PAGE = 4096, SHOWN = 32 };
    uint64_t pages = (other(d, arg) + PAGE - 1) / PAGE;
    const size_t shown = pages > SHOWN ? SHOWN : pages;
    size_t got;
    const uint8_t *bytes = has_result(d) ? look(d, AT_RETURN, VALUE, shown, &got) : NULL;
    if (!bytes) {
        emit_address(d, VALUE);
        return;
    }
    emit_text(d, "[");
    for (size_t i = 0; i < got; i++)
        emit(d, i ? ", %u" : "%u", bytes[i] & 1u);
    emit(d, pages > SHOWN ? ", ...]" : "]");
}

static void write_nodemask(struct decoder *d, bool when, uint64_t address, uint64_t bits)
{
    uint64_t word;
    if (!address || !bits || bits > 64 || !take(d, when, address, &word, 8)) {
        emit_address(d, address);
        return;
    }
    emit(d, "[%#018llx]", (unsigned long long)word);
}

void write_nodemask_in(struct decoder *d, unsigned arg)
{
    write_nodemask(d, AT_ENTRY, VALUE, other(d, arg));
}

void write_nodemask_out(struct decoder *d, unsigned arg)
{
    write_nodemask(d, AT_RETURN, VALUE, has_result(d) ? other(d, arg) : 0);
}
