#include "support/compared_scene.h"

#include "engine/compare/run_gather.h"
#include "engine/compare/run_profile.h"

void compared_scene_open(struct compared_scene *s)
{
    struct runs side[2] = {{.n = 0}, {.n = 0}};
    for (unsigned i = 0; i < 2; i++) {
        profile_scene_open(&s->profiles[i], i ? 1.3 : 1, i + 1);
        run_of_profile(runs_add(&side[i]), &s->profiles[i], KERNELS_BY_NAME, false);
    }
    s->made = compare_runs(&side[0], &side[1]);
    s->shown = (struct shown_comparison){.c = s->made,
                                         .names = {"before.json", "after.json"},
                                         .profiles = {&s->profiles[0], &s->profiles[1]}};
    runs_free(&side[0]);
    runs_free(&side[1]);
}

void compared_scene_close(struct compared_scene *s)
{
    comparison_free(s->made);
    analysis_close(&s->profiles[0]);
    analysis_close(&s->profiles[1]);
}
