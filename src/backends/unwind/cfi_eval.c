#include "backends/unwind/unwind_impl.h"

#include <dwarf.h>

enum { DEPTH = 32 };

struct machine {
    uint64_t stack[DEPTH];
    size_t n;
    bool bad, value;
};

static void push_value(struct machine *m, uint64_t v)
{
    if (m->n == DEPTH)
        m->bad = true;
    else
        m->stack[m->n++] = v;
}

static uint64_t pop_value(struct machine *m)
{
    if (m->n == 0) {
        m->bad = true;
        return 0;
    }
    return m->stack[--m->n];
}

static void push_register(struct machine *m, const struct cfi_state *s, uint64_t reg, uint64_t add)
{
    if (reg >= CFI_REGS || !(s->known >> reg & 1))
        m->bad = true;
    else
        push_value(m, s->reg[reg] + add);
}

/* Shifts right and keeps the sign: the new bits equal the highest bit. */
static uint64_t shift_right_signed(uint64_t a, uint64_t b)
{
    const bool negative = (int64_t)a < 0;
    const uint64_t v = negative ? ~a : a;
    const uint64_t shifted = b < 64 ? v >> b : 0;
    return negative ? ~shifted : shifted;
}

/* Operations on the two topmost values. False: another operation. */
static bool eval_binary_operation(struct machine *m, unsigned atom)
{
    if (!(atom == DW_OP_and || atom == DW_OP_minus || atom == DW_OP_mul || atom == DW_OP_or ||
          atom == DW_OP_plus || atom == DW_OP_xor || (atom >= DW_OP_shl && atom <= DW_OP_shra) ||
          (atom >= DW_OP_eq && atom <= DW_OP_ne)))
        return false;
    uint64_t b = pop_value(m), a = pop_value(m);
    int64_t x = (int64_t)a, y = (int64_t)b;
    switch (atom) {
    case DW_OP_and:
        push_value(m, a & b);
        break;
    case DW_OP_or:
        push_value(m, a | b);
        break;
    case DW_OP_xor:
        push_value(m, a ^ b);
        break;
    case DW_OP_plus:
        push_value(m, a + b);
        break;
    case DW_OP_minus:
        push_value(m, a - b);
        break;
    case DW_OP_mul:
        push_value(m, a * b);
        break;
    case DW_OP_shl:
        push_value(m, b < 64 ? a << b : 0);
        break;
    case DW_OP_shr:
        push_value(m, b < 64 ? a >> b : 0);
        break;
    case DW_OP_shra:
        push_value(m, shift_right_signed(a, b));
        break;
    case DW_OP_eq:
        push_value(m, x == y);
        break;
    case DW_OP_ge:
        push_value(m, x >= y);
        break;
    case DW_OP_gt:
        push_value(m, x > y);
        break;
    case DW_OP_le:
        push_value(m, x <= y);
        break;
    case DW_OP_lt:
        push_value(m, x < y);
        break;
    default:
        push_value(m, x != y);
        break;
    }
    return true;
}

/* Operations that move values on the stack, or change the topmost one. False: another operation. */
static bool eval_stack_operation(struct machine *m, const Dwarf_Op *op, const struct cfi_state *s)
{
    uint64_t v;
    switch (op->atom) {
    case DW_OP_dup:
        v = pop_value(m);
        push_value(m, v);
        push_value(m, v);
        return true;
    case DW_OP_drop:
        pop_value(m);
        return true;
    case DW_OP_over:
    case DW_OP_pick:
        v = op->atom == DW_OP_over ? 1 : op->number;
        if (v >= m->n)
            m->bad = true;
        else
            push_value(m, m->stack[m->n - 1 - v]);
        return true;
    case DW_OP_swap:
        if (m->n < 2) {
            m->bad = true;
            return true;
        }
        v = m->stack[m->n - 1];
        m->stack[m->n - 1] = m->stack[m->n - 2];
        m->stack[m->n - 2] = v;
        return true;
    case DW_OP_deref:
        if (!cfi_read(s, pop_value(m), &v))
            m->bad = true;
        push_value(m, v);
        return true;
    case DW_OP_neg:
        push_value(m, 0 - pop_value(m));
        return true;
    case DW_OP_not:
        push_value(m, ~pop_value(m));
        return true;
    case DW_OP_plus_uconst:
        push_value(m, pop_value(m) + op->number);
        return true;
    case DW_OP_nop:
        return true;
    default:
        return false;
    }
}

static bool push_constant(struct machine *m, const Dwarf_Op *op)
{
    unsigned atom = op->atom;
    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
        push_value(m, atom - DW_OP_lit0);
    else if (atom == DW_OP_addr || (atom >= DW_OP_const1u && atom <= DW_OP_consts))
        push_value(m, op->number);
    else
        return false;
    return true;
}

static void run_operation(struct machine *m, const Dwarf_Op *op, const struct cfi_state *s,
                          uint64_t cfa)
{
    unsigned atom = op->atom;
    if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
        push_register(m, s, atom - DW_OP_breg0, op->number);
    else if (atom == DW_OP_bregx)
        push_register(m, s, op->number, op->number2);
    else if (atom == DW_OP_call_frame_cfa)
        push_value(m, cfa);
    else if (atom == DW_OP_stack_value)
        m->value = true;
    else if (atom == DW_OP_regx || (atom >= DW_OP_reg0 && atom <= DW_OP_reg31)) {
        push_register(m, s, atom == DW_OP_regx ? op->number : atom - DW_OP_reg0, 0);
        m->value = true;
    } else if (!push_constant(m, op) && !eval_stack_operation(m, op, s) &&
               !eval_binary_operation(m, atom))
        m->bad = true;
}

bool cfi_eval(const Dwarf_Op *ops, size_t n, const struct cfi_state *s, uint64_t cfa,
              const uint64_t *start, uint64_t *out, bool *value)
{
    struct machine m = {.n = 0};
    if (start)
        push_value(&m, *start);
    for (size_t i = 0; i < n && !m.bad; i++)
        run_operation(&m, &ops[i], s, cfa);
    if (m.bad || m.n == 0)
        return false;
    *out = m.stack[m.n - 1];
    *value = m.value;
    return true;
}
