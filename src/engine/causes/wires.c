/*
 * Finds which call took what another one put on a wire. Calls overlap, so a call's position on its
 * wire lies between two bounds: at least behind all calls that returned before its entry, at most
 * behind all that entered before its return. Nothing is taken before it was put there. Two calls
 * are cause and effect if their ranges meet wherever they lie within their bounds.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "engine/causes/causes_impl.h"

uint32_t wire_of(struct causes *c, uint64_t key, enum wire_kind kind)
{
    uint32_t i = ids_get(&c->by_wire, key);
    if (i != IDS_NONE)
        return i;
    if (c->nwires >= WIRES_MOST)
        return 0;
    LIST_ROOM(c->wires, c->nwires, c->wires_cap);
    c->wires[c->nwires] = (struct wire){.kind = (uint8_t)kind};
    ids_add(&c->by_wire, key, c->nwires);
    return c->nwires++;
}

void wire_free(struct wire *w)
{
    for (int side = 0; side < WIRE_SIDES; side++) {
        free(w->calls[side]);
        w->calls[side] = NULL;
        w->n[side] = w->cap[side] = 0;
    }
}

void wire_tear(struct wire *w)
{
    w->torn = true;
    wire_free(w);
}

static void forget_wire_call(struct wire *w, int side, uint32_t i)
{
    struct wire_call *list = w->calls[side];
    memmove(list + i, list + i + 1, (w->n[side] - i - 1u) * sizeof *list);
    w->n[side]--;
}

/* Makes room by forgetting the oldest call that returned. false if no call has returned. */
static bool make_room_on_wire(struct wire *w, int side)
{
    if (w->n[side] < WIRE_RECENT || w->kind == WIRE_PORT)
        return w->n[side] < WIRE_RECENT;
    for (uint32_t i = 0; i < w->n[side]; i++)
        if (w->calls[side][i].returned) {
            if (w->calls[side][i].returned > w->unsure)
                w->unsure = w->calls[side][i].returned;
            forget_wire_call(w, side, i);
            return true;
        }
    return false;
}

static struct wire_call *find_call(struct wire *w, int side, uint64_t id)
{
    for (uint32_t i = 0; i < w->n[side]; i++)
        if (w->calls[side][i].id == id)
            return &w->calls[side][i];
    return NULL;
}

struct wire_call *wire_enter(struct causes *c, uint32_t wire, int side, uint64_t id, uint64_t at,
                             uint64_t asked)
{
    struct wire *w = &c->wires[wire];
    clock_join(side == WIRE_OUT ? &w->at : &w->taken_at, at);
    if (wire == 0 || w->torn)
        return NULL;
    if (!make_room_on_wire(w, side)) {
        wire_tear(w);
        return NULL;
    }
    if (w->n[side] == w->cap[side]) {
        w->cap[side] = w->cap[side] ? 2 * w->cap[side] : 2;
        w->calls[side] = xrealloc(w->calls[side], w->cap[side], sizeof *w->calls[side]);
    }
    struct wire_call *call = &w->calls[side][w->n[side]++];
    *call = (struct wire_call){.id = id, .entered = c->step, .low = w->total[side], .asked = asked};
    if (side == WIRE_OUT && w->holds && asked < CAUSES_ANY && call->low + asked > w->holds)
        call->needs = call->low + asked - w->holds;
    return call;
}

/* --- wires with positions --- */

static uint64_t add_wire_amounts(uint64_t a, uint64_t b)
{
    return a + b < CAUSES_ANY ? a + b : CAUSES_ANY;
}

/* The most that the other calls of a side can have moved by now. */
static uint64_t find_most_on_side(const struct wire *w, int side, const struct wire_call *without)
{
    uint64_t sum = w->total[side];
    for (uint32_t i = 0; i < w->n[side]; i++) {
        const struct wire_call *call = &w->calls[side][i];
        if (call != without && !call->returned)
            sum = add_wire_amounts(sum, call->asked);
    }
    return sum;
}

/* Longer writes may be mixed with writes that overlap them (pipe(7), PIPE_BUF). */
static bool in_one_piece(const struct wire_call *call)
{
    enum { ATOMIC = 4096 };
    return call->moved <= ATOMIC || call->low == call->high;
}

static bool must_meet(const struct wire_call *put, const struct wire_call *took)
{
    if (!in_one_piece(put) || !in_one_piece(took))
        return false;
    return put->low + put->moved > took->high && put->high < took->low + took->moved;
}

static void tell_accept(struct causes *c, struct wire_call *put, const struct wire_call *took)
{
    put->paired = true;
    causes_tell(c, put->id, took->id, CAUSE_ACCEPT);
    if (put->object >= c->nsockets || took->object >= c->nsockets)
        return;
    c->sockets[took->object].kind = SOCKET_PAIRED;
    c->sockets[took->object].peer = put->object;
}

static void tell_if_must_meet(struct causes *c, struct wire *w, struct wire_call *put,
                              struct wire_call *took)
{
    if (put->paired || !must_meet(put, took))
        return;
    if (w->kind == WIRE_LISTEN)
        tell_accept(c, put, took);
    else
        causes_tell(c, put->id, took->id, CAUSE_BYTES);
}

/* Notes an accepted connection: its connect may not have returned yet, but it will succeed. */
static void accept_early(struct causes *c, struct wire *w, struct wire_call *took)
{
    for (uint32_t i = 0; i < w->n[WIRE_OUT]; i++) {
        struct wire_call *put = &w->calls[WIRE_OUT][i];
        if (put->returned)
            continue;
        put->moved = 1;
        put->high = find_most_on_side(w, WIRE_OUT, put);
        tell_if_must_meet(c, w, put, took);
    }
}

/* Forgets calls whose range no later call can meet. */
static void forget_past(struct wire *w, int side)
{
    const int other = !side;
    uint64_t least = w->total[other];
    for (uint32_t i = 0; i < w->n[other]; i++)
        if (!w->calls[other][i].returned && w->calls[other][i].low < least)
            least = w->calls[other][i].low;
    for (uint32_t i = w->n[side]; i-- > 0;) {
        const struct wire_call *call = &w->calls[side][i];
        if (call->returned && add_wire_amounts(call->high, call->moved) <= least)
            forget_wire_call(w, side, i);
    }
}

/* Finds the connect of an accepted TCP connection. The handshake's last packet arrives some time
 * after connect, so the order is no evidence; there must be only one candidate. */
static void accept_any(struct causes *c, struct wire *w, const struct wire_call *took)
{
    struct wire_call *only = NULL;
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < w->n[WIRE_OUT]; i++) {
        if (w->calls[WIRE_OUT][i].paired)
            continue;
        only = &w->calls[WIRE_OUT][i];
        waiting++;
    }
    if (waiting == 1 && w->taken == 0)
        tell_accept(c, only, took);
    else if (++w->taken < waiting)
        return;
    if (waiting == 0) {
        wire_tear(w); /* some connections were not seen */
        return;
    }
    for (uint32_t i = 0; i < w->n[WIRE_OUT]; i++)
        w->calls[WIRE_OUT][i].paired = true;
    w->taken = 0;
}

/* Handles the return of a call on a port. Calls without a partner stay. */
static void port_leave(struct causes *c, struct wire *w, int side, struct wire_call *call,
                       uint64_t moved)
{
    call->moved = moved;
    call->returned = c->step;
    if (c->lossy || moved >= CAUSES_ANY) {
        wire_tear(w);
        return;
    }
    if (side == WIRE_IN && moved)
        accept_any(c, w, call);
    for (int each = 0; each < WIRE_SIDES; each++)
        for (uint32_t i = w->n[each]; i-- > 0;) {
            const struct wire_call *other = &w->calls[each][i];
            if (other->returned && (each == WIRE_IN || other->paired || other->moved == 0))
                forget_wire_call(w, each, i);
        }
}

/* False: more was taken than was put there, so some calls were not seen. */
static bool place_wire_call(struct wire *w, int side, struct wire_call *call)
{
    call->high = find_most_on_side(w, side, call);
    if (side == WIRE_OUT)
        return true;
    const uint64_t put = find_most_on_side(w, WIRE_OUT, NULL);
    if (call->moved > put || put - call->moved < call->low)
        return false;
    if (put - call->moved < call->high)
        call->high = put - call->moved;
    return true;
}

/* --- pipes that are full --- */

/* Handles the return of a read: it becomes the cause of the writes that waited for its bytes. */
static void note_room(struct wire *w, const struct wire_call *took)
{
    for (uint32_t i = 0; took->low == took->high && i < w->n[WIRE_OUT]; i++) {
        struct wire_call *put = &w->calls[WIRE_OUT][i];
        if (!put->returned && put->entered < took->entered && put->needs > took->low &&
            put->needs <= took->low + took->moved)
            put->room_by = took->id;
    }
}

/* The only open read, if it was entered after the write; 0: there may be another. */
static uint64_t only_read(const struct wire *w, const struct wire_call *put)
{
    uint64_t only = 0;
    for (uint32_t i = 0; i < w->n[WIRE_IN]; i++) {
        const struct wire_call *took = &w->calls[WIRE_IN][i];
        if (took->returned)
            continue;
        if (only || took->entered < put->entered)
            return 0;
        only = took->id;
    }
    return only;
}

uint64_t wire_room(struct causes *c, uint32_t wire, uint64_t id, uint64_t moved)
{
    struct wire *w = &c->wires[wire];
    struct wire_call *put = wire == 0 || w->torn ? NULL : find_call(w, WIRE_OUT, id);
    if (!put || !put->needs || moved != put->asked || c->lossy)
        return 0;
    if (!put->room_by && w->total[WIRE_IN] < put->needs)
        put->room_by = only_read(w, put);
    if (put->room_by)
        causes_tell(c, put->room_by, id, CAUSE_ROOM);
    return w->taken_at;
}

void wire_unlimited(struct wire *w)
{
    w->holds = 0;
    for (uint32_t i = 0; i < w->n[WIRE_OUT]; i++)
        w->calls[WIRE_OUT][i].needs = 0;
}

void wire_leave(struct causes *c, uint32_t wire, int side, uint64_t id, uint64_t moved,
                uint32_t object)
{
    struct wire *w = &c->wires[wire];
    struct wire_call *call = wire == 0 || w->torn ? NULL : find_call(w, side, id);
    if (!call) {
        if (wire != 0 && moved > 0)
            wire_tear(w);
        return;
    }
    if (object != IDS_NONE)
        call->object = object;
    if (w->kind == WIRE_PORT) {
        port_leave(c, w, side, call, moved);
        return;
    }
    if (moved == 0) {
        forget_wire_call(w, side, (uint32_t)(call - w->calls[side]));
        return;
    }
    call->moved = moved;
    if (c->lossy || moved >= CAUSES_ANY || !place_wire_call(w, side, call) ||
        add_wire_amounts(w->total[side], moved) == CAUSES_ANY) {
        wire_tear(w);
        return;
    }
    call->returned = c->step;
    w->total[side] += moved;
    if (side == WIRE_IN)
        note_room(w, call);
    for (uint32_t i = 0; i < w->n[!side]; i++) {
        struct wire_call *other = &w->calls[!side][i];
        if (other->returned)
            tell_if_must_meet(c, w, side == WIRE_OUT ? call : other,
                              side == WIRE_OUT ? other : call);
    }
    if (w->kind == WIRE_LISTEN && side == WIRE_IN)
        accept_early(c, w, call);
    forget_past(w, WIRE_OUT);
    forget_past(w, WIRE_IN);
}

/* --- wires with candidates --- */

void wire_woken(struct causes *c, uint32_t wire, uint64_t id, uint64_t entered)
{
    struct wire *w = &c->wires[wire];
    struct wire_call *only = NULL;
    if (wire == 0 || w->torn || c->lossy || entered <= w->unsure)
        return;
    for (uint32_t i = 0; i < w->n[WIRE_OUT]; i++) {
        struct wire_call *call = &w->calls[WIRE_OUT][i];
        if (call->returned && call->returned < entered)
            continue;
        if (only)
            return;
        only = call;
    }
    if (only && only->returned)
        causes_tell(c, only->id, id, CAUSE_WAKE);
    else if (only && only->nwaiters < sizeof only->waiters / sizeof *only->waiters)
        only->waiters[only->nwaiters++] = id;
}

void wire_woke(struct causes *c, uint32_t wire, uint64_t id, bool some)
{
    struct wire *w = &c->wires[wire];
    struct wire_call *call = wire == 0 || w->torn ? NULL : find_call(w, WIRE_OUT, id);
    if (!call)
        return;
    call->returned = c->step;
    for (uint8_t i = 0; some && i < call->nwaiters; i++)
        causes_tell(c, id, call->waiters[i], CAUSE_WAKE);
    if (!some)
        forget_wire_call(w, WIRE_OUT, (uint32_t)(call - w->calls[WIRE_OUT]));
}

void wire_arrived(struct causes *c, uint32_t wire, uint64_t id)
{
    struct wire *w = &c->wires[wire];
    if (wire == 0)
        return;
    const bool only = w->n[WIRE_OUT] == 1 && !w->torn && !c->lossy && !c->groups;
    if (only) {
        causes_tell(c, w->calls[WIRE_OUT][0].id, id, CAUSE_SIGNAL);
        w->n[WIRE_OUT] = 0;
    }
    for (uint32_t i = w->n[WIRE_OUT]; i-- > 0;)
        if (w->calls[WIRE_OUT][i].returned)
            forget_wire_call(w, WIRE_OUT, i);
}
