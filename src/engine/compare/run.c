#include "engine/compare/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"

enum { NUMBERS_MAX = 20000 };

const char *run_group_name(enum run_group g)
{
    static const char *const names[] = {"time", "used", "work", "brick", "kernel", "machine"};
    return names[g];
}

const char *run_group_title(enum run_group g)
{
    static const char *const titles[] = {"THE RUN",        "WHAT IT USED",    "WORK AND COUNTERS",
                                         "BRICKS, A CALL", "KERNELS, A CALL", "THE WHOLE MACHINE"};
    return titles[g];
}

const struct run_number *run_find(const struct run *r, const char *id)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->numbers[i].id, id) == 0)
            return &r->numbers[i];
    return NULL;
}

struct run_number *run_add(struct run *r, enum run_group group, const char *id, const char *label,
                           enum unit unit, double v)
{
    /* receives the numbers beyond the limit, so that callers need no check */
    static struct run_number nowhere;
    if (r->n == NUMBERS_MAX)
        return &nowhere;
    LIST_ROOM(r->numbers, r->n, r->cap);
    struct run_number *x = &r->numbers[r->n++];
    *x = (struct run_number){.id = xstrdup(id),
                             .label = xstrdup(label),
                             .group = (uint8_t)group,
                             .unit = (uint8_t)unit,
                             .total = NAN,
                             .rate = NAN,
                             .within = {.n = 1, .mean = v, .min = v, .max = v, .median = v}};
    x->within.effective = 1;
    return x;
}

void run_free(struct run *r)
{
    for (size_t i = 0; i < r->n; i++) {
        free(r->numbers[i].id);
        free(r->numbers[i].label);
        for (size_t k = 0; k < r->numbers[i].nshapes; k++)
            free(r->numbers[i].shapes[k].shape);
        free(r->numbers[i].shapes);
    }
    free(r->numbers);
    free(r->command);
    free(r->hostname);
    *r = (struct run){.n = 0};
}

struct run *runs_add(struct runs *all)
{
    LIST_ROOM(all->list, all->n, all->cap);
    all->list[all->n] = (struct run){.others = NAN};
    return &all->list[all->n++];
}

void runs_free(struct runs *all)
{
    for (size_t i = 0; i < all->n; i++)
        run_free(&all->list[i]);
    free(all->list);
    *all = (struct runs){.n = 0};
}
