#include "cli/judge/judge_function.h"

#include "base/arena.h"
#include "engine/judge/sandbox.h"
#include "engine/judge/judge_floor.h"

static const double BATCH_S = 0.002;

/* Finds the least time that a call can take. The judge refuses a candidate that takes less. */
static int find_floor(struct judge_function *f, const char *path, struct error *err)
{
    struct arena memory = {0};
    struct cpu_roofs roofs = {.none = ""};
    int rc = 0;
    if (path)
        rc = cpu_roofs_read(&roofs, &memory, path, err);
    else
        cpu_roofs_load(&roofs, &memory);
    if (rc == 0)
        judge_floor_of(&f->floor, &f->harness, &roofs);
    arena_free(&memory);
    return rc;
}

int judge_function_open(struct judge_function *f, const char *harness, const char *roofs,
                        struct error *err)
{
    const int rc = harness_read(&f->harness, harness, &f->hash, err);
    if (rc != 0)
        return rc;
    struct judge_instruction cpu = {.name = ""};
    sandboxes.instruction(&cpu);
    judge_need_of(&f->need, &f->harness, &cpu);
    return find_floor(f, roofs, err);
}

void judge_function_plan(const struct judge_function *f, struct judge_plan *plan)
{
    plan->harness = &f->harness;
    plan->floor = f->floor;
    plan->need = f->need;
    plan->wanted_s = BATCH_S;
}
