#include "cli/lab/lab_keep.h"

#include <stdlib.h>

#include "base/env.h"
#include "base/list.h"
#include "cli/bench/bench.h"
#include "engine/bench/runner.h"

static void add_lab_result(struct bench_results *all, const char *name, const char *unit,
                           bool more_is_good, const struct value *v)
{
    if (v->validity != VALUE_OK || !(v->v > 0))
        return;
    LIST_ROOM(all->list, all->n, all->cap);
    struct bench_result *one = &all->list[all->n++];
    bench_result_fill(one, name, NULL, 0, v->v);
    one->unit = unit;
    one->more_is_good = more_is_good;
}

static void add_lab_row(struct bench_results *all, const struct lab_row *row, bool judged)
{
    /* A series belongs to one processor, even if another machine gets the same host name. */
    const char *name =
        arena_printf(&all->arena, "lab %s, %s%s%s", row->load->name, lab_path_name(row->path),
                     *all->conditions.cpu ? ", " : "", all->conditions.cpu);
    /* Not "ops/cycle", which the history holds to 2.5: a machine is compared with itself. */
    add_lab_result(all, name, "vTPU ops/cycle", true, &row->ops_per_cycle);
    if (!judged)
        return;
    add_lab_result(all, arena_printf(&all->arena, "%s: IPC", name), "instructions/cycle", true,
                   &row->ipc);
    add_lab_result(all, arena_printf(&all->arena, "%s: L1 hits", name), "%", true, &row->l1_hit);
    add_lab_result(all, arena_printf(&all->arena, "%s: mispredicts", name), "%", false,
                   &row->mispredict);
}

int lab_keep(const struct lab_report *r, const char *db, struct error *err)
{
    struct bench_results all = {.tool = "rooftop lab", .wall_ns = env_wall_ns()};
    const struct lab_row *judged = lab_report_find(r, "balanced", LAB_COMPILED);
    if (!judged)
        judged = lab_report_find(r, "balanced", LAB_INTERPRETER);
    runner.conditions(&all.conditions);
    for (size_t i = 0; i < r->n; i++)
        add_lab_row(&all, &r->rows[i], &r->rows[i] == judged);
    const int rc = bench_keep(&all, db, true, err);
    bench_results_free(&all);
    return rc;
}
