/* Within the compiler: what its common part and the instruction sets share. */
#ifndef ROOFTOP_VTPU_EMIT_H
#define ROOFTOP_VTPU_EMIT_H

#include "vtpu/compile.h"

enum { IN_MEMORY = -1 };

struct emitter {
    uint8_t *bytes;
    size_t n, size;
    bool vector;           /* general registers of the vTPU live in vector registers */
    int home[VTPU_R];      /* the host's register, or IN_MEMORY: in the state */
    int cell_home[VTPU_P]; /* the same for the addresses of cells */
    size_t stub;           /* where the code begins that calls `vtpu_emit_call` */
};

struct emit_target {
    const char *name;
    bool vector;
    const uint8_t *homes, *cell_homes; /* registers that may be homes */
    size_t nhomes, ncell_homes;
    /* Code that keeps all homes in the state, calls vtpu_emit_call, and loads the homes again. */
    void (*stub)(struct emitter *e);
    void (*enter)(struct emitter *e);
    void (*op)(struct emitter *e, const struct vtpu_op *op, int64_t imm);
    /* A loop of `count` passes over what is emitted until loop_end. */
    size_t (*loop_begin)(struct emitter *e, size_t count);
    void (*loop_end)(struct emitter *e, size_t begin);
    /* Goes back to `begin` until all times are done; then returns. */
    void (*leave)(struct emitter *e, size_t begin);
};

extern const struct emit_target emit_x86, emit_x86_avx512, emit_arm64;

void emit_byte(struct emitter *e, unsigned byte);
void emit_bytes(struct emitter *e, const void *bytes, size_t n);
void emit_u32(struct emitter *e, uint32_t v); /* little-endian, as all of these instruction sets */
void emit_u64(struct emitter *e, uint64_t v);

/* Does an op that has no template: SINDEX and the ops that count bits. op: the bytes of a struct
 * vtpu_op. */
void vtpu_emit_call(struct vtpu_state *s, uint64_t op);
bool vtpu_op_is_called(const struct vtpu_op *op);

/* Where the members of the state are. */
#define AT_R(k)     ((int32_t)(offsetof(struct vtpu_state, r) + 8 * (size_t)(k)))
#define AT_M(k)     ((int32_t)(offsetof(struct vtpu_state, m) + 32 * (size_t)(k)))
#define AT_CELL(k)  ((int32_t)(offsetof(struct vtpu_state, cell) + 8 * (size_t)(k)))
#define AT_INBOX    ((int32_t)offsetof(struct vtpu_state, inbox))
#define AT_DEPTH    ((int32_t)offsetof(struct vtpu_state, depth))
#define AT_BARRIERS ((int32_t)offsetof(struct vtpu_state, barriers))
#define AT_FENCES   ((int32_t)offsetof(struct vtpu_state, fences))

#endif
