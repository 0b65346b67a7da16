#include <cjson/cJSON.h>

#include "engine/code/kernarg_types.h"
#include "engine/value/document.h"
#include "engine/value/record.h"
#include "engine/value/record_rows.h"
#include "export/code/code_object_export.h"

/* --- arguments --- */

struct arg_row {
    struct code_arg arg;
    const char *c_type, *role;
};
#define TYPE struct arg_row
static const struct fields arg_record =
    RECORD_OF(KNOWN(U32, arg.offset, "offset"), KNOWN(U32, arg.size, "size"),
              NAMED(TEXT, arg.kind_name, "kind"), ROW(TEXT, role), KNOWN(MAYBE, arg.name, "name"),
              KNOWN(MAYBE, c_type, "type"), KNOWN(MAYBE, arg.address_space, "address_space"),
              KNOWN(MAYBE, arg.access, "access"), KNOWN(MAYBE, arg.actual_access, "actual_access"),
              NAMED(BOOL, arg.is_const, "is_const"), NAMED(BOOL, arg.is_restrict, "is_restrict"),
              NAMED(BOOL, arg.is_volatile, "is_volatile"));
#undef TYPE

static void add_args(cJSON *to, const char *name, const void *kernel)
{
    static const char *const roles[] = {"program", "launch",  "kept",
                                        "runtime", "nothing", "unknown"};
    const struct code_kernel *k = kernel;
    struct arena arena = {0};
    const char **types = arena_alloc(&arena, (k->nexplicit + 1) * sizeof *types);
    cJSON *list = cJSON_AddArrayToObject(to, name);
    kernarg_types(k, types, &arena);
    for (uint32_t i = 0; i < k->nargs; i++) {
        const struct arg_row row = {k->args[i], i < k->nexplicit ? types[i] : "",
                                    roles[code_arg_table[k->args[i].kind].role]};
        cJSON_AddItemToArray(list, record_object(arg_record, &row));
    }
    arena_free(&arena);
}

/* --- kernels --- */

#define TYPE struct code_descriptor
static const struct fields descriptor_record = RECORD_OF(
    HEX(U64, address, "address"), HEX(U64, entry, "entry"), ROW(U32, group_size),
    ROW(U32, private_size), ROW(U32, kernarg_size), HEX(U32, rsrc1, "compute_pgm_rsrc1"),
    HEX(U32, rsrc2, "compute_pgm_rsrc2"), HEX(U32, rsrc3, "compute_pgm_rsrc3"),
    HEX(U16, properties, "properties"), NAMED(U16, preload, "kernarg_preload"), ROW(BOOL, wave32));
#undef TYPE

static void add_descriptor(cJSON *to, const char *name, const void *kernel)
{
    const struct code_kernel *k = kernel;
    cJSON_AddItemToObject(to, name,
                          k->has_descriptor ? record_object(descriptor_record, &k->descriptor)
                                            : cJSON_CreateNull());
}

static void add_workgroup(cJSON *to, const char *name, const void *kernel)
{
    const uint32_t *size = ((const struct code_kernel *)kernel)->required_workgroup_size;
    json_add_three(to, name, *size == CODE_UNKNOWN ? NULL : size);
}

#define TYPE struct code_kernel
static const struct fields kernel_record =
    RECORD_OF(ROW(TEXT, name), ROW(TEXT, symbol), ROW(TEXT, demangled),
              KNOWN(U32, kernarg_size, "kernarg_size"), KNOWN(U32, kernarg_align, "kernarg_align"),
              KNOWN(U32, group_size, "group_size"), KNOWN(U32, private_size, "private_size"),
              KNOWN(U32, wavefront_size, "wavefront_size"),
              KNOWN(U32, max_flat_workgroup_size, "max_flat_workgroup_size"),
              ADDED(NUMBERS, add_workgroup, "required_workgroup_size", .form = MEMBER_KNOWN),
              KNOWN(U32, vgprs, "vgprs"), KNOWN(U32, agprs, "agprs"), KNOWN(U32, sgprs, "sgprs"),
              KNOWN(U32, vgpr_spills, "vgpr_spills"), KNOWN(U32, sgpr_spills, "sgpr_spills"),
              ROW(BOOL, dynamic_stack), NAMED(U64, code_size, "code_size", .form = MEMBER_KNOWN),
              ADDED(TO, add_descriptor, "descriptor", .record = &descriptor_record),
              ADDED(ROWS, add_args, "arguments", .record = &arg_record));
#undef TYPE

/* --- code --- */

#define TYPE struct disassembly_row
static const struct fields instruction_record =
    RECORD_OF(HEX(U64, address, "address"), ROW(MAYBE, encoding), ROW(TEXT, text), ROW(MAYBE, file),
              NAMED(INT, line, "line", .form = MEMBER_KNOWN, .left_out = true));
#undef TYPE

#define TYPE struct disassembly
static const struct fields disassembly_record =
    RECORD_OF(NAMED(TEXT, tool, "disassembler"), NAMED(BOOL, cut, "instructions_cut"),
              LIST(rows, n, "instructions", &instruction_record));
#undef TYPE

#define TYPE struct code_variable
static const struct fields variable_record =
    RECORD_OF(ROW(TEXT, name), HEX(U64, address, "address"), ROW(U64, size), ROW(BOOL, global),
              ROW(BOOL, writable));
#undef TYPE

static void add_disassembly(cJSON *to, const struct code_listing *l, size_t i)
{
    if (l->code[i]) {
        record_add(to, disassembly_record, l->code[i], NULL, NULL);
        return;
    }
    cJSON_AddNullToObject(to, "instructions");
    json_add_text(to, "instructions_why", l->why[i]);
}

static void add_listed_kernels(cJSON *to, const char *name, const void *listing)
{
    const struct code_listing *l = listing;
    const struct code_object *c = l->object;
    cJSON *list = cJSON_AddArrayToObject(to, name);
    for (uint32_t i = 0; i < c->nkernels; i++) {
        if (l->only && l->only != &c->kernels[i])
            continue;
        cJSON *k = record_object(kernel_record, &c->kernels[i]);
        if (l->code)
            add_disassembly(k, l, i);
        cJSON_AddItemToArray(list, k);
    }
}

#define TYPE struct code_object
static const struct fields object_record =
    RECORD_OF(NAMED(TEXT, name, "file"), ROW(CHARS, isa), ROW(U32, version));
static const struct fields variables_record =
    RECORD_OF(LIST(variables, nvariables, "variables", &variable_record));
#undef TYPE

#define TYPE struct code_listing
const struct fields code_object_record =
    RECORD_OF(PART(object, &object_record),
              ADDED(ROWS, add_listed_kernels, "kernels", .record = &kernel_record),
              PART(object, &variables_record));

void code_object_export_json(FILE *out, const struct code_listing *l)
{
    record_write(out, "rooftop.code-object/1", code_object_record, l);
}
