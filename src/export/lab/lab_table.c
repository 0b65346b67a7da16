#include "export/lab/lab_table.h"

#include <stdio.h>

#define COLUMN(head, key, width, member, format)                                                   \
    {                                                                                              \
        head, key, width, offsetof(struct lab_row, member), format                                 \
    }

const struct lab_column lab_columns[] = {
    COLUMN("slots", "slot_fill", 5, fill, "%.2f"),
    COLUMN("model", "model_ops_per_cycle", 5, model, "%.2f"),
    COLUMN("ops/cyc", "ops_per_cycle", 7, ops_per_cycle, "%.2f"),
    COLUMN("IPC", "ipc", 5, ipc, "%.2f"),
    COLUMN("macro", "macro_ops_per_cycle", 5, macro_ops, "%.2f"),
    COLUMN("dev %", "deviation_percent", 6, deviation, "%.1f"),
    COLUMN("cyc/word", "cycles_per_word", 8, cycles_per_word, "%.2f"),
    COLUMN("cyc/elem", "cycles_per_element", 8, cycles_per_element, "%.2f"),
    COLUMN("L1 %", "l1_hit_percent", 5, l1_hit, "%.1f"),
    COLUMN("misp %", "mispredict_percent", 6, mispredict, "%.2f"),
    COLUMN("cost %", "counter_cost_percent", 6, cost, "%.2f"),
    {NULL, NULL, 0, 0, NULL},
};

const struct value *lab_value(const struct lab_row *row, const struct lab_column *c)
{
    return (const struct value *)(const void *)((const char *)row + c->offset);
}

const char *lab_cell(const struct lab_row *row, const struct lab_column *c, char out[LAB_CELL])
{
    const struct value *v = lab_value(row, c);
    snprintf(out, LAB_CELL, "n/a");
    if (v->validity == VALUE_OK)
        snprintf(out, LAB_CELL, c->format, v->v);
    return out;
}

const char *lab_clock_text(const struct lab_report *r, char out[LAB_CELL])
{
    out[0] = '\0';
    if (r->n && r->rows[0].number[LAB_CLOCK] > 0)
        snprintf(out, LAB_CELL, "%.2f GHz", r->rows[0].number[LAB_CLOCK] / 1e9);
    return out;
}

const char *lab_gate_text(const struct lab_gate_result *g, char out[LAB_LINE])
{
    if (g->value.validity == VALUE_OK)
        snprintf(out, LAB_LINE, "%-4s  %-20s %8.2f%s  %s", lab_verdict_name(g->verdict), g->name,
                 g->value.v, g->value.unit == UNIT_PERCENT ? " %" : "  ", g->target);
    else
        snprintf(out, LAB_LINE, "%-4s  %-20s %10s  %s: %s", lab_verdict_name(g->verdict), g->name,
                 "n/a", g->target, g->value.why);
    return out;
}

const char *lab_topdown_text(const struct lab_row *row, char out[LAB_LINE])
{
    size_t n = 0, most = 0;
    for (int i = 0; i < LAB_TOPDOWN_PARTS; i++) {
        const struct value *v = &row->topdown[i];
        if (v->validity != VALUE_OK) {
            snprintf(out, LAB_LINE, "%-12s slots: n/a: %s", "", v->why);
            return out;
        }
        n += (size_t)snprintf(
            out + n, LAB_LINE - n, "%s%s %.0f %%",
            i ? ", " : "             slots: ", lab_topdown_name((enum lab_topdown_part)i), v->v);
        if (i != LAB_RETIRING && (most == 0 || v->v > row->topdown[most].v))
            most = (size_t)i;
    }
    snprintf(out + n, LAB_LINE - n, "; most are lost to %s",
             lab_topdown_name((enum lab_topdown_part)most));
    return out;
}

const char *lab_gap_text(const struct lab_row *row, char out[LAB_LINE])
{
    const struct value *hw = &row->ops_per_cycle;
    if (hw->validity != VALUE_OK)
        snprintf(out, LAB_LINE, "%-12s n/a: %s", lab_path_name(row->path), hw->why);
    else
        snprintf(out, LAB_LINE, "%-12s %5.2f ops/cycle (%s)  gap %.1f %%", lab_path_name(row->path),
                 hw->v, row->calibrated ? "calibrated clock" : "counted cycles", row->deviation.v);
    return out;
}
