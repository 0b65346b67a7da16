#include "engine/value/formula.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum op { OP_NUMBER, OP_SLOT, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_NEG, OP_MIN, OP_MAX, OP_OPEN };

struct formula_step {
    enum op op;
    int slot;      /* OP_SLOT */
    double number; /* OP_NUMBER */
    char *why;     /* OP_DIV: what to say when the divisor is 0 */
};

struct formula {
    size_t nsteps, nslots;
    struct formula_step *steps;
    int *slots;
};

/* An operator, function or parenthesis whose right operand has not been read yet. */
struct waiting {
    enum op op;
    bool call;     /* OP_OPEN of min( or max( */
    enum op which; /* then: OP_MIN or OP_MAX */
    int args;
};

struct formula_compiler {
    const char *text, *at;
    formula_bind bind;
    void *ctx;
    struct error *err;
    struct formula_step steps[FORMULA_OPS_MAX];
    char names[FORMULA_OPS_MAX][FORMULA_NAME_MAX]; /* of OP_SLOT steps, for messages */
    size_t nsteps;
    struct waiting stack[FORMULA_OPS_MAX];
    size_t nstack;
    int depth, parens;
};

static int fail_formula(struct formula_compiler *c, const char *where, const char *why)
{
    char what[32];
    snprintf(what, sizeof what, "column %d", (int)(where - c->text) + 1);
    return error_set(c->err, ERROR_INPUT, EINVAL, NULL, what, "%s", why);
}

static int precedence_of_op(enum op op)
{
    switch (op) {
    case OP_ADD:
    case OP_SUB:
        return 1;
    case OP_MUL:
    case OP_DIV:
        return 2;
    case OP_NEG:
        return 3;
    default:
        return 0;
    }
}

/* The message for a divisor of 0; it gives the divisor's name if the divisor is a single name. */
static char *division_reason(const struct formula_compiler *c)
{
    char text[FORMULA_NAME_MAX + 32] = "division by 0 in this interval";
    const struct formula_step *last = &c->steps[c->nsteps - 1];
    if (last->op == OP_SLOT)
        snprintf(text, sizeof text, "no %s in this interval", c->names[c->nsteps - 1]);
    return xstrdup(text);
}

static int emit_formula_step(struct formula_compiler *c, struct formula_step s)
{
    if (c->nsteps >= FORMULA_OPS_MAX)
        return fail_formula(c, c->at, "the formula is too long");
    if (s.op == OP_NUMBER || s.op == OP_SLOT) {
        if (++c->depth > FORMULA_DEPTH_MAX)
            return fail_formula(c, c->at, "the formula is nested too deeply");
    } else if (s.op != OP_NEG) {
        c->depth--;
    }
    if (s.op == OP_DIV)
        s.why = division_reason(c);
    c->steps[c->nsteps++] = s;
    return 0;
}

static int push_waiting(struct formula_compiler *c, struct waiting w)
{
    if (c->nstack >= FORMULA_OPS_MAX)
        return fail_formula(c, c->at, "the formula is too long");
    c->stack[c->nstack++] = w;
    return 0;
}

/* Emits the waiting operators that bind at least as tightly as `level`. */
static int emit_waiting(struct formula_compiler *c, int level)
{
    while (c->nstack && c->stack[c->nstack - 1].op != OP_OPEN &&
           precedence_of_op(c->stack[c->nstack - 1].op) >= level) {
        int rc = emit_formula_step(c, (struct formula_step){.op = c->stack[--c->nstack].op});
        if (rc)
            return rc;
    }
    return 0;
}

static bool is_digit_char(char ch)
{
    return ch >= '0' && ch <= '9';
}

static bool name_start(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_';
}

/* Not strtod, which uses the locale's decimal point. */
static int parse_constant(struct formula_compiler *c)
{
    const char *start = c->at;
    double v = 0;
    int exponent = 0, ndigits = 0;
    for (; is_digit_char(*c->at); c->at++, ndigits++)
        v = v * 10 + (*c->at - '0');
    if (*c->at == '.')
        for (c->at++; is_digit_char(*c->at); c->at++, ndigits++, exponent--)
            v = v * 10 + (*c->at - '0');
    if (!ndigits)
        return fail_formula(c, start, "a number needs a digit");
    if (*c->at == 'e' || *c->at == 'E') {
        bool minus = c->at[1] == '-';
        const char *p = c->at + 1 + (c->at[1] == '-' || c->at[1] == '+');
        if (!is_digit_char(*p))
            return fail_formula(c, p, "an exponent needs a digit");
        int e = 0;
        for (; is_digit_char(*p); p++)
            e = e < 1000 ? e * 10 + (*p - '0') : e;
        exponent += minus ? -e : e;
        c->at = p;
    }
    if (exponent > 300 || exponent < -300 || ndigits > 300)
        return fail_formula(c, start, "the number is out of range");
    double power = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i; i--)
        power *= 10;
    v = exponent < 0 ? v / power : v * power;
    if (!(v <= 1e300))
        return fail_formula(c, start, "the number is out of range");
    return emit_formula_step(c, (struct formula_step){.op = OP_NUMBER, .number = v});
}

static int open_paren(struct formula_compiler *c, struct waiting w)
{
    if (++c->parens > FORMULA_DEPTH_MAX)
        return fail_formula(c, c->at, "the formula is nested too deeply");
    c->at++;
    return push_waiting(c, w);
}

/* Reads a name, a quoted name, or a function. *operand is false if a call was opened. */
static int read_formula_name(struct formula_compiler *c, bool *operand)
{
    const char *start = c->at, *from = start;
    size_t len = 0;
    if (*from == '\'') {
        from++;
        len = strcspn(from, "'");
        if (!from[len])
            return fail_formula(c, start, "the quoted name has no end");
        c->at = from + len + 1;
    } else {
        while (name_start(from[len]) || is_digit_char(from[len]) || from[len] == '.')
            len++;
        c->at = from + len;
    }
    if (!len || len >= FORMULA_NAME_MAX)
        return fail_formula(c, start, len ? "the name is too long" : "the name is empty");
    char text[FORMULA_NAME_MAX], why[192] = "unknown name";
    memcpy(text, from, len);
    text[len] = 0;
    const char *next = c->at + strspn(c->at, " \t\r\n");
    if (*start != '\'' && *next == '(') {
        bool min = strcmp(text, "min") == 0;
        if (!min && strcmp(text, "max") != 0) {
            snprintf(why, sizeof why, "unknown function '%s': there are min and max", text);
            return fail_formula(c, start, why);
        }
        c->at = next;
        *operand = false;
        return open_paren(
            c, (struct waiting){.op = OP_OPEN, .call = true, .which = min ? OP_MIN : OP_MAX});
    }
    int slot = c->bind(c->ctx, text, why);
    if (slot < 0)
        return fail_formula(c, start, why);
    if (c->nsteps < FORMULA_OPS_MAX)
        memcpy(c->names[c->nsteps], text, len + 1);
    return emit_formula_step(c, (struct formula_step){.op = OP_SLOT, .slot = slot});
}

/* Sets *operand to true after a whole operand. */
static int read_operand(struct formula_compiler *c, bool *operand)
{
    *operand = true;
    if (is_digit_char(*c->at) || *c->at == '.')
        return parse_constant(c);
    if (name_start(*c->at) || *c->at == '\'')
        return read_formula_name(c, operand);
    *operand = false;
    if (*c->at == '(')
        return open_paren(c, (struct waiting){.op = OP_OPEN});
    if (*c->at == '-') {
        c->at++;
        return push_waiting(c, (struct waiting){.op = OP_NEG});
    }
    if (!*c->at)
        return fail_formula(c, c->at, "the formula ends where a number or name should be");
    return fail_formula(c, c->at, "a number, a name or '(' should be here");
}

static int read_formula_comma(struct formula_compiler *c)
{
    int rc = emit_waiting(c, 1);
    if (rc)
        return rc;
    if (!c->nstack || !c->stack[c->nstack - 1].call)
        return fail_formula(c, c->at, "a comma stands only between the arguments of min and max");
    c->stack[c->nstack - 1].args++;
    c->at++;
    return 0;
}

static int close_paren(struct formula_compiler *c)
{
    int rc = emit_waiting(c, 1);
    if (rc)
        return rc;
    if (!c->nstack)
        return fail_formula(c, c->at, "this ')' closes nothing");
    struct waiting w = c->stack[--c->nstack];
    c->parens--;
    if (w.call && !w.args)
        return fail_formula(c, c->at, "min and max take at least two arguments");
    for (int i = 0; w.call && i < w.args; i++)
        if ((rc = emit_formula_step(c, (struct formula_step){.op = w.which})))
            return rc;
    c->at++;
    return 0;
}

/* Sets *operand to false if another operand must follow. */
static int read_operator(struct formula_compiler *c, bool *operand)
{
    static const struct {
        char ch;
        enum op op;
    } ops[] = {{'+', OP_ADD}, {'-', OP_SUB}, {'*', OP_MUL}, {'/', OP_DIV}};
    if (*c->at == ')')
        return close_paren(c);
    *operand = false;
    if (*c->at == ',')
        return read_formula_comma(c);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (ops[i].ch != *c->at)
            continue;
        int rc = emit_waiting(c, precedence_of_op(ops[i].op));
        c->at++;
        return rc ? rc : push_waiting(c, (struct waiting){.op = ops[i].op});
    }
    return fail_formula(c, c->at, "an operator (+ - * /) should be here");
}

static int parse_formula(struct formula_compiler *c)
{
    bool operand = false; /* whether a whole operand has just been read */
    if (strlen(c->text) > FORMULA_TEXT_MAX)
        return fail_formula(c, c->text, "the formula is too long");
    for (;;) {
        c->at += strspn(c->at, " \t\r\n");
        if (!*c->at && operand)
            break;
        int rc = operand ? read_operator(c, &operand) : read_operand(c, &operand);
        if (rc)
            return rc;
    }
    int rc = emit_waiting(c, 1);
    if (rc)
        return rc;
    return c->nstack ? fail_formula(c, c->at, "a ')' is missing") : 0;
}

static void collect_slots(struct formula *f)
{
    f->slots = xcalloc(f->nsteps, sizeof *f->slots);
    for (size_t i = 0; i < f->nsteps; i++) {
        size_t k = 0;
        if (f->steps[i].op != OP_SLOT)
            continue;
        while (k < f->nslots && f->slots[k] != f->steps[i].slot)
            k++;
        if (k == f->nslots)
            f->slots[f->nslots++] = f->steps[i].slot;
    }
}

int formula_compile(struct formula **out, const char *text, formula_bind bind, void *ctx,
                    struct error *err)
{
    struct formula_compiler *c = xcalloc(1, sizeof *c);
    c->text = c->at = text;
    c->bind = bind;
    c->ctx = ctx;
    c->err = err;
    *out = NULL;
    int rc = parse_formula(c);
    if (rc == 0) {
        struct formula *f = xcalloc(1, sizeof *f);
        f->nsteps = c->nsteps;
        f->steps = xcalloc(c->nsteps, sizeof *f->steps);
        memcpy(f->steps, c->steps, c->nsteps * sizeof *f->steps);
        collect_slots(f);
        *out = f;
    } else {
        for (size_t i = 0; i < c->nsteps; i++)
            free(c->steps[i].why);
    }
    free(c);
    return rc;
}

void formula_free(struct formula *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->nsteps; i++)
        free(f->steps[i].why);
    free(f->steps);
    free(f->slots);
    free(f);
}

const int *formula_slots(const struct formula *f, size_t *n)
{
    *n = f->nslots;
    return f->slots;
}

static double apply_operator(enum op op, double a, double b)
{
    switch (op) {
    case OP_ADD:
        return a + b;
    case OP_SUB:
        return a - b;
    case OP_MUL:
        return a * b;
    case OP_DIV:
        return a / b;
    case OP_MIN:
        return b < a ? b : a;
    default:
        return b > a ? b : a;
    }
}

int formula_evaluate(const struct formula *f, const double *values, double *out, const char **why)
{
    double stack[FORMULA_DEPTH_MAX + 1] = {0};
    size_t n = 0; /* the compiler has bounded it and matched pushes with pops */
    for (size_t i = 0; i < f->nsteps; i++) {
        const struct formula_step *s = &f->steps[i];
        if (s->op == OP_NUMBER || s->op == OP_SLOT) {
            stack[n++] = s->op == OP_NUMBER ? s->number : values[s->slot];
            continue;
        }
        if (s->op == OP_NEG) {
            stack[n - 1] = -stack[n - 1];
            continue;
        }
        double b = stack[--n], a = stack[n - 1];
        if (s->op == OP_DIV && b == 0) {
            *why = s->why;
            return -ERANGE;
        }
        stack[n - 1] = apply_operator(s->op, a, b);
    }
    *out = stack[0];
    return 0;
}
