/* Functions of the kernel's programs that read memory of the traced program. */
#include "backends/bpf/parts.h"

/* R1: scratch in a callback or function of memory. All keep it in R6. */

/* Room for a piece: R9 = bytes used; goes to `out` if there is enough already. */
static void room(struct code *c, int out)
{
    load(c, BPF_DW, R9, R6, SCRATCH(used));
    jump_if_number(c, BPF_JGT, R9, DATA_MOST, out);
}

/* R1 = where the bytes of the piece go. */
static void piece_bytes(struct code *c)
{
    mov(c, R1, R6);
    alu(c, BPF_ADD, R1, R9);
    alu_number(c, BPF_ADD, R1, SCRATCH(data) + (int)sizeof(struct piece));
}

/* Makes a piece of R8 bytes (at most PIECE_MOST) of address R7. */
static void piece_done(struct code *c)
{
    mov(c, R1, R6);
    alu(c, BPF_ADD, R1, R9);
    store(c, BPF_DW, R1, SCRATCH(data) + (int)offsetof(struct piece, address), R7);
    store(c, BPF_W, R1, SCRATCH(data) + (int)offsetof(struct piece, size), R8);
    load(c, BPF_DW, R2, R6, SCRATCH(again));
    store(c, BPF_W, R1, SCRATCH(data) + (int)offsetof(struct piece, again), R2);
    alu_number(c, BPF_ADD, R8, 7);
    alu_number(c, BPF_AND, R8, 0x3ffff8);
    alu(c, BPF_ADD, R9, R8);
    alu_number(c, BPF_ADD, R9, sizeof(struct piece));
    store(c, BPF_DW, R6, SCRATCH(used), R9);
}

/* Function: R1 scratch, R2 address, R3 bytes. What cannot be read is read to the page's end. */
void write_append(struct code *c)
{
    const int out = code_label(c), ok = code_label(c), fits = code_label(c), bad = code_label(c);
    mov(c, R6, R1);
    mov(c, R7, R2);
    mov(c, R8, R3);
    jump_if_number(c, BPF_JEQ, R8, 0, out);
    jump_if_number(c, BPF_JEQ, R7, 0, out);
    jump_if_number(c, BPF_JLE, R8, PIECE_MOST, fits);
    mov_number(c, R8, PIECE_MOST);
    code_place(c, fits);
    room(c, out);
    piece_bytes(c);
    mov(c, R2, R8);
    mov(c, R3, R7);
    helper(c, BPF_FUNC_probe_read_user);
    jump_if_number(c, BPF_JEQ, R0, 0, ok);
    mov_number(c, R1, 4096);
    mov(c, R2, R7);
    alu_number(c, BPF_AND, R2, 4095);
    alu(c, BPF_SUB, R1, R2);
    jump_if(c, BPF_JGE, R1, R8, bad);
    mov(c, R8, R1);
    jump_if_number(c, BPF_JGT, R8, 4096, bad);
    piece_bytes(c);
    mov(c, R2, R8);
    mov(c, R3, R7);
    helper(c, BPF_FUNC_probe_read_user);
    jump_if_number(c, BPF_JNE, R0, 0, bad);
    code_place(c, ok);
    piece_done(c);
    jump(c, out);
    code_place(c, bad);
    store_number(c, BPF_DW, R6, SCRATCH(failed), 1);
    code_place(c, out);
    mov_number(c, R0, 0);
    leave(c);
}

/* Function: R1 scratch, R2 address, R3 most bytes. A string that has more is kept without NUL. */
void write_append_string(struct code *c, int reader)
{
    const int out = code_label(c), fits = code_label(c), bad = code_label(c), whole = code_label(c);
    mov(c, R6, R1);
    mov(c, R7, R2);
    mov(c, R8, R3);
    jump_if_number(c, BPF_JEQ, R7, 0, out);
    jump_if_number(c, BPF_JLE, R8, PIECE_MOST, fits);
    mov_number(c, R8, PIECE_MOST);
    code_place(c, fits);
    room(c, out);
    piece_bytes(c);
    mov(c, R2, R8);
    mov(c, R3, R7);
    helper(c, reader);
    jump_if_number(c, BPF_JSLE, R0, 0, bad);
    jump_if(c, BPF_JLT, R0, R8, whole);
    alu_number(c, BPF_SUB, R8, 1);
    mov(c, R0, R8);
    code_place(c, whole);
    mov(c, R8, R0);
    jump_if_number(c, BPF_JGT, R8, PIECE_MOST, bad);
    piece_done(c);
    jump(c, out);
    code_place(c, bad);
    store_number(c, BPF_DW, R6, SCRATCH(failed), 1);
    code_place(c, out);
    mov_number(c, R0, 0);
    leave(c);
}

/* Callback: R1 index, R2 context (scratch). One element of the iovec at scratch.vector. */
static void write_vector_step(struct code *c, const struct functions *f)
{
    const int out = code_label(c), fits = code_label(c);
    load(c, BPF_DW, R6, R2, 0);
    jump_if_number(c, BPF_JGE, R1, VECTOR_MOST, out);
    alu_number(c, BPF_LSH, R1, 4);
    load(c, BPF_DW, R2, R6, SCRATCH(vector));
    jump_if_number(c, BPF_JGT, R2, DATA_MOST, out);
    alu(c, BPF_ADD, R1, R2);
    mov(c, R3, R6);
    alu(c, BPF_ADD, R3, R1);
    load(c, BPF_DW, R2, R3, SCRATCH(data));
    load(c, BPF_DW, R4, R3, SCRATCH(data) + 8);
    load(c, BPF_DW, R3, R6, SCRATCH(limit));
    jump_if(c, BPF_JLE, R3, R4, fits);
    mov(c, R3, R4);
    code_place(c, fits);
    mov(c, R1, R6);
    call_function(c, f->append);
    code_place(c, out);
    mov_number(c, R0, 0);
    leave(c);
}

/* Callback: R1 index, R2 context. One string of the array at scratch.address. */
static void write_strings_step(struct code *c, const struct functions *f)
{
    const int out = code_label(c), end = code_label(c);
    load(c, BPF_DW, R6, R2, 0);
    load(c, BPF_DW, R7, R6, SCRATCH(address));
    alu_number(c, BPF_LSH, R1, 3);
    alu(c, BPF_ADD, R7, R1);
    mov(c, R1, R6);
    mov(c, R2, R7);
    mov_number(c, R3, 8);
    call_function(c, f->append);
    mov(c, R1, FP);
    alu_number(c, BPF_ADD, R1, -8);
    mov_number(c, R2, 8);
    mov(c, R3, R7);
    helper(c, BPF_FUNC_probe_read_user);
    jump_if_number(c, BPF_JNE, R0, 0, end);
    load(c, BPF_DW, R2, FP, -8);
    jump_if_number(c, BPF_JEQ, R2, 0, end);
    mov(c, R1, R6);
    load(c, BPF_DW, R3, R6, SCRATCH(limit));
    call_function(c, f->append_string);
    jump(c, out);
    code_place(c, end);
    mov_number(c, R0, 1);
    leave(c);
    code_place(c, out);
    mov_number(c, R0, 0);
    leave(c);
}

/* R9: how often; the callback gets the scratch in R6. */
static void loop(struct code *c, int times, int callback)
{
    store(c, BPF_DW, FP, -24, R6);
    mov(c, R1, times);
    load_function(c, R2, callback);
    mov(c, R3, FP);
    alu_number(c, BPF_ADD, R3, -24);
    mov_number(c, R4, 0);
    helper(c, BPF_FUNC_loop);
}

/* An iovec: R7 address, R8 elements. */
static void op_vector(struct code *c, const struct functions *f, int out)
{
    const int few = code_label(c);
    jump_if_number(c, BPF_JLE, R8, VECTOR_MOST, few);
    mov_number(c, R8, VECTOR_MOST);
    code_place(c, few);
    load(c, BPF_DW, R1, R6, SCRATCH(used));
    store(c, BPF_DW, FP, -32, R1);
    alu_number(c, BPF_ADD, R1, sizeof(struct piece));
    store(c, BPF_DW, R6, SCRATCH(vector), R1);
    mov(c, R1, R6);
    mov(c, R2, R7);
    mov(c, R3, R8);
    alu_number(c, BPF_LSH, R3, 4);
    call_function(c, f->append);
    load(c, BPF_DW, R1, R6, SCRATCH(used)); /* nothing was read */
    load(c, BPF_DW, R2, FP, -32);
    jump_if(c, BPF_JEQ, R1, R2, out);
    loop(c, R8, f->vector);
}

/* A message: R7 address. */
static void op_message(struct code *c, const struct functions *f, int vector, int out)
{
    static const struct {
        int address, length, most, size;
    } parts[] = {{0, 8, 128, BPF_W}, {32, 40, 512, BPF_DW}}; /* name, control */
    mov(c, R1, FP);
    alu_number(c, BPF_ADD, R1, -96);
    mov_number(c, R2, 56);
    mov(c, R3, R7);
    helper(c, BPF_FUNC_probe_read_user);
    jump_if_number(c, BPF_JNE, R0, 0, out);
    mov(c, R1, R6);
    mov(c, R2, R7);
    mov_number(c, R3, 56);
    call_function(c, f->append);
    for (int i = 0; i < 2; i++) {
        const int fits = code_label(c);
        load(c, BPF_DW, R2, FP, -96 + parts[i].address);
        load(c, parts[i].size, R3, FP, -96 + parts[i].length);
        jump_if_number(c, BPF_JLE, R3, parts[i].most, fits);
        mov_number(c, R3, parts[i].most);
        code_place(c, fits);
        mov(c, R1, R6);
        call_function(c, f->append);
    }
    load(c, BPF_DW, R7, FP, -96 + 16);
    load(c, BPF_DW, R8, FP, -96 + 24);
    jump(c, vector);
}

/* R8 = the number in args[other] of the record; R2 is used. */
static void load_other(struct code *c, int out)
{
    load(c, BPF_B, R2, R9, offsetof(struct op, other));
    jump_if_number(c, BPF_JGT, R2, 5, out);
    alu_number(c, BPF_LSH, R2, 3);
    alu(c, BPF_ADD, R2, R6);
    load(c, BPF_DW, R8, R2, IN_SCRATCH(args));
}

/* Callback: R1 index, R2 context: scratch, operations. R6 scratch, R9 operation, R7 address, R8
 * bytes. */
static void write_op(struct code *c, const struct functions *f)
{
    const int out = code_label(c), bytes = code_label(c), length = code_label(c),
              result = code_label(c), string = code_label(c), vector = code_label(c),
              vector_at = code_label(c), message = code_label(c), strings = code_label(c),
              scaled = code_label(c), fits = code_label(c);
    load(c, BPF_DW, R6, R2, 0);
    load(c, BPF_DW, R9, R2, 8);
    jump_if_number(c, BPF_JGE, R1, PLAN_OPS, out);
    alu_number(c, BPF_LSH, R1, 3);
    alu(c, BPF_ADD, R9, R1);
    load(c, BPF_B, R2, R9, offsetof(struct op, arg));
    jump_if_number(c, BPF_JGT, R2, 5, out);
    alu_number(c, BPF_LSH, R2, 3);
    alu(c, BPF_ADD, R2, R6);
    load(c, BPF_DW, R7, R2, IN_SCRATCH(args));
    jump_if_number(c, BPF_JEQ, R7, 0, out);
    load(c, BPF_W, R8, R9, offsetof(struct op, max));
    store(c, BPF_DW, R6, SCRATCH(limit), R8);
    load(c, BPF_B, R1, R9, offsetof(struct op, kind));
    jump_if_number(c, BPF_JEQ, R1, OP_BYTES, bytes);
    jump_if_number(c, BPF_JEQ, R1, OP_STRING, string);
    jump_if_number(c, BPF_JEQ, R1, OP_LENGTH, length);
    jump_if_number(c, BPF_JEQ, R1, OP_RESULT, result);
    jump_if_number(c, BPF_JEQ, R1, OP_VECTOR, vector);
    jump_if_number(c, BPF_JEQ, R1, OP_MESSAGE, message);
    jump_if_number(c, BPF_JEQ, R1, OP_STRINGS, strings);
    jump(c, out);
    code_place(c, length);
    load_other(c, out);
    jump(c, scaled);
    code_place(c, result);
    load(c, BPF_DW, R8, R6, IN_SCRATCH(result));
    jump_if_number(c, BPF_JSLE, R8, 0, out);
    code_place(c, scaled); /* what is longer than all that is kept is not multiplied */
    load(c, BPF_W, R3, R9, offsetof(struct op, max));
    jump_if(c, BPF_JLE, R8, R3, fits);
    mov(c, R8, R3);
    code_place(c, fits);
    load(c, BPF_B, R2, R9, offsetof(struct op, scale));
    alu(c, BPF_MUL, R8, R2);
    jump_if(c, BPF_JLE, R8, R3, bytes);
    mov(c, R8, R3);
    code_place(c, bytes);
    mov(c, R1, R6);
    mov(c, R2, R7);
    mov(c, R3, R8);
    call_function(c, f->append);
    jump(c, out);
    code_place(c, string);
    mov(c, R1, R6);
    mov(c, R2, R7);
    mov(c, R3, R8);
    call_function(c, f->append_string);
    jump(c, out);
    code_place(c, strings);
    store(c, BPF_DW, R6, SCRATCH(address), R7);
    mov_number(c, R8, STRINGS_MOST);
    loop(c, R8, f->strings);
    jump(c, out);
    code_place(c, message);
    op_message(c, f, vector_at, out);
    code_place(c, vector);
    load_other(c, out);
    code_place(c, vector_at);
    op_vector(c, f, out);
    code_place(c, out);
    mov_number(c, R0, 0);
    leave(c);
}

void name_functions(struct code *c, struct functions *f)
{
    f->append = code_label(c);
    f->append_string = code_label(c);
    f->op = code_label(c);
    f->vector = code_label(c);
    f->strings = code_label(c);
}

void write_functions(struct code *c, const struct functions *f)
{
    code_function(c, f->append);
    write_append(c);
    code_function(c, f->append_string);
    write_append_string(c, BPF_FUNC_probe_read_user_str);
    code_function(c, f->vector);
    write_vector_step(c, f);
    code_function(c, f->strings);
    write_strings_step(c, f);
    code_function(c, f->op);
    write_op(c, f);
}
