#include "engine/syscalls/decode/types.h"

static void write_flags_arg(struct decoder *d, unsigned arg)
{
    emit_flags(d, type_of(d, arg)->constants, (uint32_t)d->e->args[arg]);
}

static void write_flags64(struct decoder *d, unsigned arg)
{
    emit_flags(d, type_of(d, arg)->constants, d->e->args[arg]);
}

static void write_constant(struct decoder *d, unsigned arg)
{
    emit_constant(d, type_of(d, arg)->constants, (uint32_t)d->e->args[arg]);
}

const struct type syscall_types[SYSCALL_TYPES] = {
#define TYPE(name, when, size, writer) {when, size, writer, NULL},
#define FLAGS(name)                    {NEVER, NOTHING, write_flags_arg, &constants_##name},
#define FLAGS64(name)                  {NEVER, NOTHING, write_flags64, &constants_##name},
#define ENUM(name)                     {NEVER, NOTHING, write_constant, &constants_##name},
#include "engine/syscalls/types.def"
#undef TYPE
#undef FLAGS
#undef FLAGS64
#undef ENUM
};

const struct type *type_of(const struct decoder *d, unsigned arg)
{
    return d->call && arg < d->call->nargs ? &syscall_types[d->call->args[arg].type] : NULL;
}
