/* Functions of the kernel's programs that read memory of the traced program. */
#include "backends/bpf/bpf_impl.h"

/* In these callbacks and functions R1 is the scratch, which they keep in R6. */

/* R9 = bytes used; goes to `out` if there is no room for a piece. */
static void put_check_room(struct code *c, int out)
{
    put_load(c, BPF_DW, R9, R6, SCRATCH(used));
    put_jump_if_number(c, BPF_JGT, R9, DATA_MOST, out);
}

/* R1 = address for the bytes of the piece. */
static void piece_bytes(struct code *c)
{
    put_mov(c, R1, R6);
    put_alu(c, BPF_ADD, R1, R9);
    put_alu_number(c, BPF_ADD, R1, SCRATCH(data) + (int)sizeof(struct piece));
}

/* Completes a piece of R8 bytes (at most PIECE_MOST) from address R7. */
static void piece_done(struct code *c)
{
    put_mov(c, R1, R6);
    put_alu(c, BPF_ADD, R1, R9);
    put_store(c, BPF_DW, R1, SCRATCH(data) + (int)offsetof(struct piece, address), R7);
    put_store(c, BPF_W, R1, SCRATCH(data) + (int)offsetof(struct piece, size), R8);
    put_load(c, BPF_DW, R2, R6, SCRATCH(again));
    put_store(c, BPF_W, R1, SCRATCH(data) + (int)offsetof(struct piece, again), R2);
    put_alu_number(c, BPF_ADD, R8, 7);
    put_alu_number(c, BPF_AND, R8, 0x3ffff8);
    put_alu(c, BPF_ADD, R9, R8);
    put_alu_number(c, BPF_ADD, R9, sizeof(struct piece));
    put_store(c, BPF_DW, R6, SCRATCH(used), R9);
}

/* Cuts the length in R8 to that of a piece, and sets the arguments for reading it: R2 its length,
 * R3 the address in R7. */
static void put_piece_arguments(struct code *c, int out)
{
    const int fits = code_label(c);
    put_jump_if_number(c, BPF_JLE, R8, PIECE_MOST, fits);
    put_mov_number(c, R8, PIECE_MOST);
    code_place(c, fits);
    put_check_room(c, out);
    piece_bytes(c);
    put_mov(c, R2, R8);
    put_mov(c, R3, R7);
}

static void end_append(struct code *c, int bad, int out)
{
    piece_done(c);
    put_jump(c, out);
    code_place(c, bad);
    put_store_number(c, BPF_DW, R6, SCRATCH(failed), 1);
    code_place(c, out);
    put_mov_number(c, R0, 0);
    put_leave(c);
}

/* A kernel with hardened copies checks the memory of the scratch, which takes longer than the copy,
 * but checks the stack quickly. So few bytes are copied through the stack. This many fit on the
 * kernel's own stack; a program that uses more may get a stack elsewhere. */
enum { SMALL_PIECE = 48 };

/* Reads R8 bytes at R7 to the stack, by the helper `reader`. */
static void read_small(struct code *c, int reader)
{
    put_mov(c, R1, FP);
    put_alu_number(c, BPF_ADD, R1, -SMALL_PIECE);
    put_mov(c, R3, R7);
    put_helper(c, reader);
}

/* Copies R2 bytes from the stack to the new piece. */
static void keep_small(struct code *c)
{
    piece_bytes(c);
    put_mov(c, R3, FP);
    put_alu_number(c, BPF_ADD, R3, -SMALL_PIECE);
    put_helper(c, BPF_FUNC_probe_read_kernel);
}

/* Takes the arguments of a function that stands alone. The kernel demands a check of the scratch
 * for NULL, which it never is. */
static void take_arguments(struct code *c, int out)
{
    put_mov(c, R6, R1);
    put_mov(c, R7, R2);
    put_mov(c, R8, R3);
    put_jump_if_number(c, BPF_JEQ, R6, 0, out);
}

/* Function: R1 scratch, R2 address, R3 bytes. If that fails, reads up to the end of the page. */
void function_append(struct code *c)
{
    const int out = code_label(c), ok = code_label(c), bad = code_label(c), large = code_label(c);
    take_arguments(c, out);
    put_jump_if_number(c, BPF_JEQ, R8, 0, out);
    put_jump_if_number(c, BPF_JEQ, R7, 0, out);
    put_jump_if_number(c, BPF_JGT, R8, SMALL_PIECE, large);
    put_check_room(c, out);
    put_mov(c, R2, R8);
    read_small(c, BPF_FUNC_probe_read_user);
    put_jump_if_number(c, BPF_JNE, R0, 0, large);
    put_mov(c, R2, R8);
    keep_small(c);
    put_jump(c, ok);
    code_place(c, large);
    put_piece_arguments(c, out);
    put_helper(c, BPF_FUNC_probe_read_user);
    put_jump_if_number(c, BPF_JEQ, R0, 0, ok);
    put_mov_number(c, R1, 4096);
    put_mov(c, R2, R7);
    put_alu_number(c, BPF_AND, R2, 4095);
    put_alu(c, BPF_SUB, R1, R2);
    put_jump_if(c, BPF_JGE, R1, R8, bad);
    put_mov(c, R8, R1);
    put_jump_if_number(c, BPF_JGT, R8, 4096, bad);
    piece_bytes(c);
    put_mov(c, R2, R8);
    put_mov(c, R3, R7);
    put_helper(c, BPF_FUNC_probe_read_user);
    put_jump_if_number(c, BPF_JNE, R0, 0, bad);
    code_place(c, ok);
    end_append(c, bad, out);
}

/* Function: R1 scratch, R2 address, R3 limit of bytes. A longer string is kept without NUL. */
void function_append_string(struct code *c, int reader)
{
    const int out = code_label(c), bad = code_label(c), whole = code_label(c),
              large = code_label(c), kept = code_label(c);
    take_arguments(c, out);
    put_jump_if_number(c, BPF_JEQ, R7, 0, out);
    put_jump_if_number(c, BPF_JLE, R8, SMALL_PIECE, large);
    put_check_room(c, out);
    put_mov_number(c, R2, SMALL_PIECE);
    read_small(c, reader);
    put_jump_if_number(c, BPF_JSLE, R0, 0, bad);
    put_jump_if_number(c, BPF_JGE, R0, SMALL_PIECE, large);
    put_mov(c, R8, R0);
    put_mov(c, R2, R0);
    keep_small(c);
    put_jump(c, kept);
    code_place(c, large);
    put_piece_arguments(c, out);
    put_helper(c, reader);
    put_jump_if_number(c, BPF_JSLE, R0, 0, bad);
    put_jump_if(c, BPF_JLT, R0, R8, whole);
    put_alu_number(c, BPF_SUB, R8, 1);
    put_mov(c, R0, R8);
    code_place(c, whole);
    put_mov(c, R8, R0);
    put_jump_if_number(c, BPF_JGT, R8, PIECE_MOST, bad);
    code_place(c, kept);
    end_append(c, bad, out);
}

/* Callback: R1 index, R2 context (scratch). Reads an element of the iovec at scratch.vector. */
static void write_vector_step(struct code *c, const struct functions *f)
{
    const int out = code_label(c), fits = code_label(c);
    put_load(c, BPF_DW, R6, R2, 0);
    put_jump_if_number(c, BPF_JGE, R1, VECTOR_MOST, out);
    put_alu_number(c, BPF_LSH, R1, 4);
    put_load(c, BPF_DW, R2, R6, SCRATCH(vector));
    put_jump_if_number(c, BPF_JGT, R2, DATA_MOST, out);
    put_alu(c, BPF_ADD, R1, R2);
    put_mov(c, R3, R6);
    put_alu(c, BPF_ADD, R3, R1);
    put_load(c, BPF_DW, R2, R3, SCRATCH(data));
    put_load(c, BPF_DW, R4, R3, SCRATCH(data) + 8);
    put_load(c, BPF_DW, R3, R6, SCRATCH(limit));
    put_jump_if(c, BPF_JLE, R3, R4, fits);
    put_mov(c, R3, R4);
    code_place(c, fits);
    put_mov(c, R1, R6);
    put_call_function(c, f->append);
    code_place(c, out);
    put_mov_number(c, R0, 0);
    put_leave(c);
}

/* Callback: R1 index, R2 context. Reads a string of the array at scratch.address. */
static void write_strings_step(struct code *c, const struct functions *f)
{
    const int out = code_label(c), end = code_label(c);
    put_load(c, BPF_DW, R6, R2, 0);
    put_load(c, BPF_DW, R7, R6, SCRATCH(address));
    put_alu_number(c, BPF_LSH, R1, 3);
    put_alu(c, BPF_ADD, R7, R1);
    put_mov(c, R1, R6);
    put_mov(c, R2, R7);
    put_mov_number(c, R3, 8);
    put_call_function(c, f->append);
    put_mov(c, R1, FP);
    put_alu_number(c, BPF_ADD, R1, -8);
    put_mov_number(c, R2, 8);
    put_mov(c, R3, R7);
    put_helper(c, BPF_FUNC_probe_read_user);
    put_jump_if_number(c, BPF_JNE, R0, 0, end);
    put_load(c, BPF_DW, R2, FP, -8);
    put_jump_if_number(c, BPF_JEQ, R2, 0, end);
    put_mov(c, R1, R6);
    put_load(c, BPF_DW, R3, R6, SCRATCH(limit));
    put_call_function(c, f->append_string);
    put_jump(c, out);
    code_place(c, end);
    put_mov_number(c, R0, 1);
    put_leave(c);
    code_place(c, out);
    put_mov_number(c, R0, 0);
    put_leave(c);
}

/* R9: number of rounds; the callback gets the scratch in R6. */
static void put_loop(struct code *c, int times, int callback)
{
    put_store(c, BPF_DW, FP, -24, R6);
    put_mov(c, R1, times);
    put_load_function(c, R2, callback);
    put_mov(c, R3, FP);
    put_alu_number(c, BPF_ADD, R3, -24);
    put_mov_number(c, R4, 0);
    put_helper(c, BPF_FUNC_loop);
}

/* An iovec: R7 address, R8 elements. */
static void op_vector(struct code *c, const struct functions *f, int out)
{
    const int few = code_label(c);
    put_jump_if_number(c, BPF_JLE, R8, VECTOR_MOST, few);
    put_mov_number(c, R8, VECTOR_MOST);
    code_place(c, few);
    put_load(c, BPF_DW, R1, R6, SCRATCH(used));
    put_store(c, BPF_DW, FP, -32, R1);
    put_alu_number(c, BPF_ADD, R1, sizeof(struct piece));
    put_store(c, BPF_DW, R6, SCRATCH(vector), R1);
    put_mov(c, R1, R6);
    put_mov(c, R2, R7);
    put_mov(c, R3, R8);
    put_alu_number(c, BPF_LSH, R3, 4);
    put_call_function(c, f->append);
    put_load(c, BPF_DW, R1, R6, SCRATCH(used)); /* nothing could be read */
    put_load(c, BPF_DW, R2, FP, -32);
    put_jump_if(c, BPF_JEQ, R1, R2, out);
    put_loop(c, R8, f->vector);
}

/* A message: R7 address. */
static void op_message(struct code *c, const struct functions *f, int vector, int out)
{
    static const struct {
        int address, length, most, size;
    } parts[] = {{0, 8, 128, BPF_W}, {32, 40, 512, BPF_DW}}; /* name, control */
    put_mov(c, R1, FP);
    put_alu_number(c, BPF_ADD, R1, -96);
    put_mov_number(c, R2, 56);
    put_mov(c, R3, R7);
    put_helper(c, BPF_FUNC_probe_read_user);
    put_jump_if_number(c, BPF_JNE, R0, 0, out);
    put_mov(c, R1, R6);
    put_mov(c, R2, R7);
    put_mov_number(c, R3, 56);
    put_call_function(c, f->append);
    for (int i = 0; i < 2; i++) {
        const int fits = code_label(c);
        put_load(c, BPF_DW, R2, FP, -96 + parts[i].address);
        put_load(c, parts[i].size, R3, FP, -96 + parts[i].length);
        put_jump_if_number(c, BPF_JLE, R3, parts[i].most, fits);
        put_mov_number(c, R3, parts[i].most);
        code_place(c, fits);
        put_mov(c, R1, R6);
        put_call_function(c, f->append);
    }
    put_load(c, BPF_DW, R7, FP, -96 + 16);
    put_load(c, BPF_DW, R8, FP, -96 + 24);
    put_jump(c, vector);
}

/* R8 = the number in args[other] of the record. Changes R2. */
static void load_other(struct code *c, int out)
{
    put_load(c, BPF_B, R2, R9, offsetof(struct op, other));
    put_jump_if_number(c, BPF_JGT, R2, 5, out);
    put_alu_number(c, BPF_LSH, R2, 3);
    put_alu(c, BPF_ADD, R2, R6);
    put_load(c, BPF_DW, R8, R2, IN_SCRATCH(args));
}

/* Callback: R1 index, R2 context: scratch, operations. R6 scratch, R9 operation, R7 address, R8
 * bytes. */
static void write_op(struct code *c, const struct functions *f)
{
    const int out = code_label(c), bytes = code_label(c), length = code_label(c),
              result = code_label(c), string = code_label(c), vector = code_label(c),
              vector_at = code_label(c), message = code_label(c), strings = code_label(c),
              scaled = code_label(c), fits = code_label(c), entry = code_label(c);
    put_load(c, BPF_DW, R6, R2, 0);
    put_load(c, BPF_DW, R9, R2, 8);
    put_load(c, BPF_DW, R3, R2, 24);
    put_alu(c, BPF_ADD, R1, R3);
    put_jump_if_number(c, BPF_JGE, R1, 2 * PLAN_OPS, out);
    put_jump_if_number(c, BPF_JLT, R1, PLAN_OPS, entry);
    put_store_number(c, BPF_DW, R6, SCRATCH(again), 0);
    code_place(c, entry);
    put_alu_number(c, BPF_LSH, R1, 3);
    put_alu(c, BPF_ADD, R9, R1);
    put_load(c, BPF_B, R2, R9, offsetof(struct op, arg));
    put_jump_if_number(c, BPF_JGT, R2, ARG_STACK, out);
    put_alu_number(c, BPF_LSH, R2, 3);
    put_alu(c, BPF_ADD, R2, R6);
    put_load(c, BPF_DW, R7, R2, IN_SCRATCH(args));
    put_jump_if_number(c, BPF_JEQ, R7, 0, out);
    put_load(c, BPF_W, R8, R9, offsetof(struct op, max));
    put_store(c, BPF_DW, R6, SCRATCH(limit), R8);
    put_load(c, BPF_B, R1, R9, offsetof(struct op, kind));
    put_jump_if_number(c, BPF_JEQ, R1, OP_BYTES, bytes);
    put_jump_if_number(c, BPF_JEQ, R1, OP_STRING, string);
    put_jump_if_number(c, BPF_JEQ, R1, OP_LENGTH, length);
    put_jump_if_number(c, BPF_JEQ, R1, OP_RESULT, result);
    put_jump_if_number(c, BPF_JEQ, R1, OP_VECTOR, vector);
    put_jump_if_number(c, BPF_JEQ, R1, OP_MESSAGE, message);
    put_jump_if_number(c, BPF_JEQ, R1, OP_STRINGS, strings);
    put_jump(c, out);
    code_place(c, length);
    load_other(c, out);
    put_jump(c, scaled);
    code_place(c, result);
    put_load(c, BPF_DW, R8, R6, IN_SCRATCH(result));
    put_jump_if_number(c, BPF_JSLE, R8, 0, out);
    code_place(c, scaled); /* a length beyond the limit is not multiplied */
    put_load(c, BPF_W, R3, R9, offsetof(struct op, max));
    put_jump_if(c, BPF_JLE, R8, R3, fits);
    put_mov(c, R8, R3);
    code_place(c, fits);
    put_load(c, BPF_B, R2, R9, offsetof(struct op, scale));
    put_alu(c, BPF_MUL, R8, R2);
    put_jump_if(c, BPF_JLE, R8, R3, bytes);
    put_mov(c, R8, R3);
    code_place(c, bytes);
    put_mov(c, R1, R6);
    put_mov(c, R2, R7);
    put_mov(c, R3, R8);
    put_call_function(c, f->append);
    put_jump(c, out);
    code_place(c, string);
    put_mov(c, R1, R6);
    put_mov(c, R2, R7);
    put_mov(c, R3, R8);
    put_call_function(c, f->append_string);
    put_jump(c, out);
    code_place(c, strings);
    put_store(c, BPF_DW, R6, SCRATCH(address), R7);
    put_mov_number(c, R8, STRINGS_MOST);
    put_loop(c, R8, f->strings);
    put_jump(c, out);
    code_place(c, message);
    op_message(c, f, vector_at, out);
    code_place(c, vector);
    put_load(c, BPF_B, R8, R9, offsetof(struct op, scale));
    put_jump_if_number(c, BPF_JNE, R8, 0, vector_at);
    load_other(c, out);
    code_place(c, vector_at);
    op_vector(c, f, out);
    code_place(c, out);
    put_mov_number(c, R0, 0);
    put_leave(c);
}

void function_names(struct code *c, struct functions *f)
{
    f->append = code_label(c);
    f->append_string = code_label(c);
    f->op = code_label(c);
    f->vector = code_label(c);
    f->strings = code_label(c);
}

void functions_put(struct code *c, const struct functions *f)
{
    code_function_alone(c, f->append);
    function_append(c);
    code_function_alone(c, f->append_string);
    function_append_string(c, BPF_FUNC_probe_read_user_str);
    code_function(c, f->vector);
    write_vector_step(c, f);
    code_function(c, f->strings);
    write_strings_step(c, f);
    code_function(c, f->op);
    write_op(c, f);
}
