#include "symbols/elf/elf_impl.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"

enum { KINDS_MAX = 1 << 16, ATTRIBUTES_MAX = 1 << 20 };

uint64_t dwarf_read(struct dwarf_reader *r, size_t n)
{
    uint64_t value = 0;
    if ((size_t)(r->end - r->p) < n || n > sizeof value) {
        r->bad = true;
        r->p = r->end;
        return 0;
    }
    if (n == 3) { /* DW_FORM_strx3 */
        value = (uint64_t)r->p[0] | (uint64_t)r->p[1] << 8 | (uint64_t)r->p[2] << 16;
    } else if (n == 8) {
        memcpy(&value, r->p, 8);
    } else if (n == 4) {
        uint32_t v;
        memcpy(&v, r->p, 4);
        value = v;
    } else if (n == 2) {
        uint16_t v;
        memcpy(&v, r->p, 2);
        value = v;
    } else if (n == 1) {
        value = *r->p;
    }
    r->p += n;
    return value;
}

uint64_t dwarf_uleb(struct dwarf_reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; r->p < r->end; shift += 7) {
        uint8_t byte = *r->p++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    r->bad = true;
    return 0;
}

static int64_t dwarf_sleb(struct dwarf_reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; r->p < r->end;) {
        uint8_t byte = *r->p++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (!(byte & 0x80)) {
            if (shift < 64 && (byte & 0x40))
                value |= ~(uint64_t)0 << shift;
            return (int64_t)value;
        }
    }
    r->bad = true;
    return 0;
}

/* How many bytes a form takes in .debug_info; -1 if this depends on the data. */
static int dwarf_form_size(const struct dwarf_reader *r, unsigned form)
{
    switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
        return 0;
    case DW_FORM_data1:
    case DW_FORM_ref1:
    case DW_FORM_flag:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
        return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
        return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
        return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
    case DW_FORM_ref_sup4:
        return 4;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
        return 8;
    case DW_FORM_data16:
        return 16;
    case DW_FORM_addr:
        return r->address_size;
    case DW_FORM_ref_addr:
        return r->version <= 2 ? r->address_size : r->offset_size;
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_sec_offset:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
        return r->offset_size;
    default:
        return -1;
    }
}

static void skip_dwarf_bytes(struct dwarf_reader *r, uint64_t n)
{
    if ((uint64_t)(r->end - r->p) < n) {
        r->bad = true;
        r->p = r->end;
        return;
    }
    r->p += n;
}

void dwarf_form_skip(struct dwarf_reader *r, unsigned form)
{
    int size = dwarf_form_size(r, form);
    if (size >= 0) {
        skip_dwarf_bytes(r, (uint64_t)size);
        return;
    }
    switch (form) {
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
    case DW_FORM_sdata:
        dwarf_uleb(r);
        return;
    case DW_FORM_block1:
        skip_dwarf_bytes(r, dwarf_read(r, 1));
        return;
    case DW_FORM_block2:
        skip_dwarf_bytes(r, dwarf_read(r, 2));
        return;
    case DW_FORM_block4:
        skip_dwarf_bytes(r, dwarf_read(r, 4));
        return;
    case DW_FORM_block:
    case DW_FORM_exprloc:
        skip_dwarf_bytes(r, dwarf_uleb(r));
        return;
    case DW_FORM_string: {
        const uint8_t *zero = memchr(r->p, 0, (size_t)(r->end - r->p));
        r->bad |= !zero;
        r->p = zero ? zero + 1 : r->end;
        return;
    }
    case DW_FORM_indirect: {
        uint64_t other = dwarf_uleb(r);
        if (other != DW_FORM_indirect && other != DW_FORM_implicit_const && other <= UINT16_MAX) {
            dwarf_form_skip(r, (unsigned)other);
            return;
        }
        break;
    }
    default:
        break;
    }
    r->bad = true; /* a form of a later standard: the rest cannot be read */
    r->p = r->end;
}

uint64_t dwarf_form_value(struct dwarf_reader *r, unsigned form, int64_t implicit, bool *known)
{
    int size = dwarf_form_size(r, form);
    *known = true;
    if (form == DW_FORM_implicit_const)
        return (uint64_t)implicit;
    if (form == DW_FORM_flag_present)
        return 1;
    if (size > 0 && size <= 8)
        return dwarf_read(r, (size_t)size);
    if (form == DW_FORM_sdata)
        return (uint64_t)dwarf_sleb(r);
    if (form == DW_FORM_udata || form == DW_FORM_ref_udata || form == DW_FORM_addrx ||
        form == DW_FORM_rnglistx || form == DW_FORM_GNU_addr_index)
        return dwarf_uleb(r);
    *known = false;
    dwarf_form_skip(r, form);
    return 0;
}

static void add_kind_attribute(struct dwarf_kinds *k, struct dwarf_kind *kind,
                               const struct dwarf_reader *r, const struct dwarf_attribute *a)
{
    int size = dwarf_form_size(r, a->form);
    kind->fixed = size < 0 || kind->fixed < 0 ? -1 : kind->fixed + size;
    LIST_ADD(k->attributes, k->nattributes, k->cap_attributes, *a);
    kind->n++;
}

static struct dwarf_kind *find_or_add_dwarf_kind(struct dwarf_kinds *k, uint64_t code)
{
    if (code > k->cap) {
        size_t cap = k->cap ? k->cap : 128;
        while (cap < code)
            cap *= 2;
        k->rows = xrealloc(k->rows, cap, sizeof *k->rows);
        k->cap = cap;
    }
    if (code > k->n) {
        memset(k->rows + k->n, 0, (code - k->n) * sizeof *k->rows);
        k->n = code;
    }
    return &k->rows[code - 1];
}

void dwarf_kinds_read(struct dwarf_kinds *k, struct dwarf_reader *r)
{
    k->n = k->nattributes = 0;
    while (!r->bad) {
        uint64_t code = dwarf_uleb(r);
        if (code == 0 || code > KINDS_MAX || r->bad)
            return;
        struct dwarf_kind *kind = find_or_add_dwarf_kind(k, code);
        *kind = (struct dwarf_kind){.used = true, .first = (uint32_t)k->nattributes};
        uint64_t tag = dwarf_uleb(r);
        kind->tag = tag <= UINT16_MAX ? (uint16_t)tag : 0;
        kind->children = dwarf_read(r, 1) != 0;
        while (!r->bad) {
            struct dwarf_attribute a = {0};
            uint64_t name = dwarf_uleb(r), form = dwarf_uleb(r);
            if (form == DW_FORM_implicit_const)
                a.implicit = dwarf_sleb(r);
            if ((name == 0 && form == 0) || k->nattributes >= ATTRIBUTES_MAX)
                break;
            a.name = name <= UINT16_MAX ? (uint16_t)name : 0;
            a.form = form <= UINT16_MAX ? (uint16_t)form : 0;
            add_kind_attribute(k, kind, r, &a);
        }
    }
}

void dwarf_kinds_free(struct dwarf_kinds *k)
{
    free(k->rows);
    free(k->attributes);
    *k = (struct dwarf_kinds){0};
}
