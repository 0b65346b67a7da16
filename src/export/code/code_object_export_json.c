#include <inttypes.h>

#include <cjson/cJSON.h>

#include "engine/code/kernarg_types.h"
#include "engine/value/document.h"
#include "export/code/code_object_export.h"

static void add_number_or_null(cJSON *to, const char *key, uint32_t v)
{
    if (v == CODE_UNKNOWN)
        cJSON_AddNullToObject(to, key);
    else
        cJSON_AddNumberToObject(to, key, v);
}

static void add_address(cJSON *to, const char *key, uint64_t v)
{
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, v);
    cJSON_AddStringToObject(to, key, text);
}

/* "" becomes null */
static void add_if(cJSON *to, const char *key, const char *text)
{
    json_add_text(to, key, *text ? text : NULL);
}

static cJSON *arg_json(const struct code_arg *a, const char *c_type)
{
    static const char *const roles[] = {"program", "launch",  "kept",
                                        "runtime", "nothing", "unknown"};
    cJSON *j = cJSON_CreateObject();
    add_number_or_null(j, "offset", a->offset);
    add_number_or_null(j, "size", a->size);
    json_add_text(j, "kind", a->kind_name);
    cJSON_AddStringToObject(j, "role", roles[code_arg_table[a->kind].role]);
    add_if(j, "name", a->name);
    add_if(j, "type", c_type);
    add_if(j, "address_space", a->address_space);
    add_if(j, "access", a->access);
    add_if(j, "actual_access", a->actual_access);
    cJSON_AddBoolToObject(j, "is_const", a->is_const);
    cJSON_AddBoolToObject(j, "is_restrict", a->is_restrict);
    cJSON_AddBoolToObject(j, "is_volatile", a->is_volatile);
    return j;
}

static void add_args(cJSON *to, const struct code_kernel *k)
{
    struct arena arena = {0};
    const char **types = arena_alloc(&arena, (k->nexplicit + 1) * sizeof *types);
    cJSON *list = cJSON_AddArrayToObject(to, "arguments");
    kernarg_types(k, types, &arena);
    for (uint32_t i = 0; i < k->nargs; i++)
        cJSON_AddItemToArray(list, arg_json(&k->args[i], i < k->nexplicit ? types[i] : ""));
    arena_free(&arena);
}

static void add_descriptor(cJSON *to, const struct code_kernel *k)
{
    const struct code_descriptor *d = &k->descriptor;
    if (!k->has_descriptor) {
        cJSON_AddNullToObject(to, "descriptor");
        return;
    }
    cJSON *j = cJSON_AddObjectToObject(to, "descriptor");
    add_address(j, "address", d->address);
    add_address(j, "entry", d->entry);
    cJSON_AddNumberToObject(j, "group_size", d->group_size);
    cJSON_AddNumberToObject(j, "private_size", d->private_size);
    cJSON_AddNumberToObject(j, "kernarg_size", d->kernarg_size);
    add_address(j, "compute_pgm_rsrc1", d->rsrc1);
    add_address(j, "compute_pgm_rsrc2", d->rsrc2);
    add_address(j, "compute_pgm_rsrc3", d->rsrc3);
    add_address(j, "properties", d->properties);
    cJSON_AddNumberToObject(j, "kernarg_preload", d->preload);
    cJSON_AddBoolToObject(j, "wave32", d->wave32);
}

static void add_disassembly(cJSON *to, const struct disassembly *d, const char *why)
{
    if (!d) {
        cJSON_AddNullToObject(to, "instructions");
        json_add_text(to, "instructions_why", why);
        return;
    }
    json_add_text(to, "disassembler", d->tool);
    cJSON_AddBoolToObject(to, "instructions_cut", d->cut);
    cJSON *list = cJSON_AddArrayToObject(to, "instructions");
    for (size_t i = 0; i < d->n; i++) {
        const struct disassembly_row *r = &d->rows[i];
        cJSON *j = cJSON_CreateObject();
        add_address(j, "address", r->address);
        json_add_text(j, "encoding", r->encoding);
        json_add_text(j, "text", r->text);
        json_add_text(j, "file", r->file);
        if (r->file)
            cJSON_AddNumberToObject(j, "line", r->line);
        cJSON_AddItemToArray(list, j);
    }
}

static cJSON *kernel_json(const struct code_kernel *k)
{
    cJSON *j = cJSON_CreateObject(), *size;
    json_add_text(j, "name", k->name);
    json_add_text(j, "symbol", k->symbol);
    json_add_text(j, "demangled", k->demangled);
    add_number_or_null(j, "kernarg_size", k->kernarg_size);
    add_number_or_null(j, "kernarg_align", k->kernarg_align);
    add_number_or_null(j, "group_size", k->group_size);
    add_number_or_null(j, "private_size", k->private_size);
    add_number_or_null(j, "wavefront_size", k->wavefront_size);
    add_number_or_null(j, "max_flat_workgroup_size", k->max_flat_workgroup_size);
    if (k->required_workgroup_size[0] == CODE_UNKNOWN) {
        cJSON_AddNullToObject(j, "required_workgroup_size");
    } else {
        size = cJSON_AddArrayToObject(j, "required_workgroup_size");
        for (size_t i = 0; i < 3; i++)
            cJSON_AddItemToArray(size, cJSON_CreateNumber(k->required_workgroup_size[i]));
    }
    add_number_or_null(j, "vgprs", k->vgprs);
    add_number_or_null(j, "agprs", k->agprs);
    add_number_or_null(j, "sgprs", k->sgprs);
    add_number_or_null(j, "vgpr_spills", k->vgpr_spills);
    add_number_or_null(j, "sgpr_spills", k->sgpr_spills);
    cJSON_AddBoolToObject(j, "dynamic_stack", k->dynamic_stack);
    add_number_or_null(j, "code_size",
                       k->code_size && k->code_size < CODE_UNKNOWN ? (uint32_t)k->code_size
                                                                   : CODE_UNKNOWN);
    add_descriptor(j, k);
    add_args(j, k);
    return j;
}

static void add_variables(cJSON *to, const struct code_object *c)
{
    cJSON *list = cJSON_AddArrayToObject(to, "variables");
    for (uint32_t i = 0; i < c->nvariables; i++) {
        const struct code_variable *v = &c->variables[i];
        cJSON *j = cJSON_CreateObject();
        json_add_text(j, "name", v->name);
        add_address(j, "address", v->address);
        json_add_u64(j, "size", v->size);
        cJSON_AddBoolToObject(j, "global", v->global);
        cJSON_AddBoolToObject(j, "writable", v->writable);
        cJSON_AddItemToArray(list, j);
    }
}

void code_object_export_json(FILE *out, const struct code_listing *l)
{
    const struct code_object *c = l->object;
    cJSON *doc = cJSON_CreateObject(), *list;
    cJSON_AddStringToObject(doc, "schema", "rooftop.code-object/1");
    json_add_text(doc, "file", c->name);
    json_add_text(doc, "isa", c->isa);
    cJSON_AddNumberToObject(doc, "version", c->version);
    list = cJSON_AddArrayToObject(doc, "kernels");
    for (uint32_t i = 0; i < c->nkernels; i++) {
        if (l->only && l->only != &c->kernels[i])
            continue;
        cJSON *k = kernel_json(&c->kernels[i]);
        if (l->code)
            add_disassembly(k, l->code[i], l->why[i]);
        cJSON_AddItemToArray(list, k);
    }
    add_variables(doc, c);
    json_write(out, doc, true);
    fputc('\n', out);
    cJSON_Delete(doc);
}
