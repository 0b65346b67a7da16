#include "engine/bricks/program_fields.h"

#include "engine/bricks/bricks.h"
#include "engine/value/value.h"

#define TYPE struct brick_program

static const char *const states[] = {"running", "ended", "crashed", NULL};
static const char *const modes[] = {"immediate", "per-layer", "deferred", "none", NULL};

/* Add new rows at the end, and raise FRAME_VERSION. */
static const struct field program_fields[] = {
    MEMBER(INT, TYPE, pid, "pid", .form = MEMBER_COUNT),
    MEMBER(TEXT, TYPE, name, "name"),
    MEMBER(TEXT, TYPE, path, "file"),
    KEPT(INT, TYPE, node),
    MEMBER(BYTE, TYPE, state, "state", .form = MEMBER_WORD, .words = states),
    MEMBER(BYTE, TYPE, sync, "sync", .form = MEMBER_WORD, .words = modes),
    KEPT(BOOL, TYPE, device),
    MEMBER(INT, TYPE, threads, "threads"),
    MEMBER(U64, TYPE, spans, "spans"),
    MEMBER(U64, TYPE, dropped, "dropped"),
    MEMBER(U64, TYPE, tokens, "tokens"),
    MEMBER(DOUBLE, TYPE, tokens_per_s, "token_rate", .form = MEMBER_VALUE,
           .unit = UNIT_COUNT_PER_S),
    KEPT(U64, TYPE, device_errors),
};
const struct fields program_record = RECORD(program_fields, TYPE);
