#include "gpu/code_note.h"

#include <string.h>

bool code_text_is(struct code_text t, const char *text)
{
    return t.p && strlen(text) == t.n && memcmp(t.p, text, t.n) == 0;
}

static struct code_text note_text(const struct msgpack_value *v)
{
    return (struct code_text){.p = v->text, .n = v->n};
}

static bool fail_note(struct msgpack *r, const char *why)
{
    if (!r->bad)
        r->bad = why;
    return false;
}

/* --- fields by name; a value of another type is an error --- */

enum field_type { FIELD_TEXT, FIELD_NUMBER, FIELD_BOOL };
struct note_field {
    const char *name;
    enum field_type type;
    size_t offset; /* in the struct to fill */
};

static bool take_note_u32(struct msgpack *r, uint32_t *out)
{
    struct msgpack_value v;
    if (!msgpack_expect(r, MSGPACK_UNSIGNED, &v))
        return false;
    if (v.u >= CODE_UNKNOWN)
        return fail_note(r, "a number that is too large");
    *out = (uint32_t)v.u;
    return true;
}

/* Some compilers write booleans as numbers. */
static bool read_note_bool(struct msgpack *r, bool *out)
{
    struct msgpack_value v;
    if (!msgpack_next(r, &v) || (v.type != MSGPACK_BOOL && v.type != MSGPACK_UNSIGNED))
        return fail_note(r, "a boolean was expected");
    *out = v.type == MSGPACK_BOOL ? v.boolean : v.u != 0;
    return true;
}

static bool take_note_field(struct msgpack *r, const struct note_field *f, void *into)
{
    char *at = (char *)into + f->offset;
    struct msgpack_value v;
    if (f->type == FIELD_NUMBER)
        return take_note_u32(r, (uint32_t *)(void *)at);
    if (f->type == FIELD_BOOL)
        return read_note_bool(r, (bool *)(void *)at);
    if (!msgpack_expect(r, MSGPACK_STRING, &v))
        return false;
    struct code_text text = note_text(&v);
    memcpy(at, &text, sizeof text);
    return true;
}

/* Reads the value of a key that the table has; *known is false for other keys. */
static bool take_known(struct msgpack *r, const struct msgpack_value *key,
                       const struct note_field *fields, void *into, bool *known)
{
    for (const struct note_field *f = fields; f->name; f++)
        if (msgpack_is(key, f->name)) {
            *known = true;
            return take_note_field(r, f, into);
        }
    *known = false;
    return true;
}

static bool skip_value(struct msgpack *r)
{
    struct msgpack_value v;
    return msgpack_next(r, &v) ? msgpack_skip(r, &v) : fail_note(r, "the end comes inside a map");
}

/* --- the document --- */

static bool take_version(struct code_note *n)
{
    struct msgpack_value v;
    if (!msgpack_expect(&n->r, MSGPACK_ARRAY, &v))
        return false;
    if (v.n != 2)
        return fail_note(&n->r, "a version that has not two numbers");
    return take_note_u32(&n->r, &n->major) && take_note_u32(&n->r, &n->minor);
}

/* Remembers where the list of kernels begins; the kernels are read later. */
static bool take_kernel_list(struct code_note *n, struct msgpack *kernels, bool *found)
{
    struct msgpack_value v;
    if (*found)
        return fail_note(&n->r, "a second list of kernels");
    if (!msgpack_expect(&n->r, MSGPACK_ARRAY, &v))
        return false;
    *found = true;
    *kernels = n->r;
    n->left = v.n;
    return msgpack_skip(&n->r, &v);
}

bool code_note_open(struct code_note *n, const void *bytes, size_t size)
{
    struct msgpack_value head, key, v;
    struct msgpack kernels = {0};
    bool found = false, ok;
    *n = (struct code_note){.major = CODE_UNKNOWN, .minor = CODE_UNKNOWN};
    msgpack_open(&n->r, bytes, size);
    if (!msgpack_expect(&n->r, MSGPACK_MAP, &head))
        return false;
    for (uint32_t i = 0; i < head.n; i++) {
        if (!msgpack_expect(&n->r, MSGPACK_STRING, &key))
            return false;
        if (msgpack_is(&key, "amdhsa.kernels")) {
            ok = take_kernel_list(n, &kernels, &found);
        } else if (msgpack_is(&key, "amdhsa.version")) {
            ok = take_version(n);
        } else if (msgpack_is(&key, "amdhsa.target")) {
            ok = msgpack_expect(&n->r, MSGPACK_STRING, &v);
            n->target = note_text(&v);
        } else {
            ok = skip_value(&n->r);
        }
        if (!ok)
            return false;
    }
    if (found)
        n->r = kernels;
    return true;
}

#define IN(member) offsetof(struct code_note_kernel, member)
static const struct note_field kernel_fields[] = {
    {".name", FIELD_TEXT, IN(name)},
    {".symbol", FIELD_TEXT, IN(symbol)},
    {".language", FIELD_TEXT, IN(language)},
    {".kernarg_segment_size", FIELD_NUMBER, IN(kernarg_size)},
    {".kernarg_segment_align", FIELD_NUMBER, IN(kernarg_align)},
    {".group_segment_fixed_size", FIELD_NUMBER, IN(group_size)},
    {".private_segment_fixed_size", FIELD_NUMBER, IN(private_size)},
    {".wavefront_size", FIELD_NUMBER, IN(wavefront_size)},
    {".sgpr_count", FIELD_NUMBER, IN(sgprs)},
    {".vgpr_count", FIELD_NUMBER, IN(vgprs)},
    {".agpr_count", FIELD_NUMBER, IN(agprs)},
    {".sgpr_spill_count", FIELD_NUMBER, IN(sgpr_spills)},
    {".vgpr_spill_count", FIELD_NUMBER, IN(vgpr_spills)},
    {".max_flat_workgroup_size", FIELD_NUMBER, IN(max_flat_workgroup_size)},
    {NULL, FIELD_TEXT, 0},
};
#undef IN

static bool take_required_size(struct msgpack *r, struct code_note_kernel *k)
{
    struct msgpack_value v;
    if (!msgpack_expect(r, MSGPACK_ARRAY, &v))
        return false;
    if (v.n != 3)
        return fail_note(r, "a work-group size that has not three numbers");
    for (size_t i = 0; i < 3; i++)
        if (!take_note_u32(r, &k->required_workgroup_size[i]))
            return false;
    return true;
}

static bool take_args(struct msgpack *r, struct code_note_kernel *k)
{
    struct msgpack_value v;
    if (k->args.p)
        return fail_note(r, "a second list of arguments");
    if (!msgpack_expect(r, MSGPACK_ARRAY, &v))
        return false;
    k->args = *r;
    k->nargs = v.n;
    return msgpack_skip(r, &v);
}

static bool take_kernel_field(struct msgpack *r, struct code_note_kernel *k)
{
    struct msgpack_value key;
    bool known;
    if (!msgpack_expect(r, MSGPACK_STRING, &key))
        return false;
    if (msgpack_is(&key, ".args"))
        return take_args(r, k);
    if (msgpack_is(&key, ".reqd_workgroup_size"))
        return take_required_size(r, k);
    if (msgpack_is(&key, ".uses_dynamic_stack")) {
        k->dynamic_stack_known = true;
        return read_note_bool(r, &k->dynamic_stack);
    }
    if (!take_known(r, &key, kernel_fields, k, &known))
        return false;
    return known || skip_value(r);
}

bool code_note_next(struct code_note *n, struct code_note_kernel *out)
{
    struct msgpack_value head;
    *out = (struct code_note_kernel){.kernarg_size = CODE_UNKNOWN,
                                     .kernarg_align = CODE_UNKNOWN,
                                     .group_size = CODE_UNKNOWN,
                                     .private_size = CODE_UNKNOWN,
                                     .wavefront_size = CODE_UNKNOWN,
                                     .sgprs = CODE_UNKNOWN,
                                     .vgprs = CODE_UNKNOWN,
                                     .agprs = CODE_UNKNOWN,
                                     .sgpr_spills = CODE_UNKNOWN,
                                     .vgpr_spills = CODE_UNKNOWN,
                                     .max_flat_workgroup_size = CODE_UNKNOWN};
    for (size_t i = 0; i < 3; i++)
        out->required_workgroup_size[i] = CODE_UNKNOWN;
    if (n->r.bad || n->left == 0)
        return false;
    n->left--;
    if (!msgpack_expect(&n->r, MSGPACK_MAP, &head))
        return false;
    for (uint32_t i = 0; i < head.n; i++)
        if (!take_kernel_field(&n->r, out))
            return false;
    if (!out->name.p || !out->symbol.p || out->name.n == 0 || out->symbol.n == 0)
        return fail_note(&n->r, "a kernel without a name or symbol");
    if (memchr(out->name.p, 0, out->name.n) || memchr(out->symbol.p, 0, out->symbol.n))
        return fail_note(&n->r, "a kernel whose name has a byte of 0");
    return true;
}

/* --- arguments --- */

#define IN(member) offsetof(struct code_note_arg, member)
static const struct note_field arg_fields[] = {
    {".name", FIELD_TEXT, IN(name)},
    {".type_name", FIELD_TEXT, IN(type_name)},
    {".value_kind", FIELD_TEXT, IN(kind_name)},
    {".address_space", FIELD_TEXT, IN(address_space)},
    {".access", FIELD_TEXT, IN(access)},
    {".actual_access", FIELD_TEXT, IN(actual_access)},
    {".offset", FIELD_NUMBER, IN(offset)},
    {".size", FIELD_NUMBER, IN(size)},
    {".pointee_align", FIELD_NUMBER, IN(pointee_align)},
    {".is_const", FIELD_BOOL, IN(is_const)},
    {".is_restrict", FIELD_BOOL, IN(is_restrict)},
    {".is_volatile", FIELD_BOOL, IN(is_volatile)},
    {".is_pipe", FIELD_BOOL, IN(is_pipe)},
    {NULL, FIELD_TEXT, 0},
};
#undef IN

static enum code_arg_kind find_arg_kind(struct code_text name)
{
    for (unsigned k = CODE_ARG_OTHER + 1; k < CODE_ARG_KINDS; k++)
        if (code_text_is(name, code_arg_table[k].name))
            return (enum code_arg_kind)k;
    return CODE_ARG_OTHER;
}

bool code_note_next_arg(struct code_note_kernel *k, struct code_note_arg *out)
{
    struct msgpack *r = &k->args;
    struct msgpack_value head, key;
    bool known;
    *out = (struct code_note_arg){
        .offset = CODE_UNKNOWN, .size = CODE_UNKNOWN, .pointee_align = CODE_UNKNOWN};
    if (r->bad || k->nargs == 0)
        return false;
    k->nargs--;
    if (!msgpack_expect(r, MSGPACK_MAP, &head))
        return false;
    for (uint32_t i = 0; i < head.n; i++) {
        if (!msgpack_expect(r, MSGPACK_STRING, &key) ||
            !take_known(r, &key, arg_fields, out, &known) || (!known && !skip_value(r)))
            return false;
    }
    if (out->offset == CODE_UNKNOWN || out->size == CODE_UNKNOWN || !out->kind_name.p)
        return fail_note(r, "an argument without an offset, size or kind");
    if (out->size > UINT32_MAX - 1 - out->offset)
        return fail_note(r, "an argument that ends beyond what 32 bits can say");
    out->kind = find_arg_kind(out->kind_name);
    return true;
}
