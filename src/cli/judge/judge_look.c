#include "cli/judge/judge_look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "engine/source_guards/source_guard_ops.h"
#include "engine/value/text_file.h"

/* Assembler cannot be parsed into a tree, so its sources are not compared. */
static bool is_readable(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && words_have(".c .cc .cpp .cxx .C .hip .cu", dot);
}

static int ask_guards(const struct source_pair *pair, struct judge_looked *l, struct error *err)
{
    for (size_t i = 0; source_guards[i]; i++) {
        struct source_refusal refused = {.guard = ""};
        struct error absent = ERROR_INIT;
        if (source_guards[i]->words) /* its refusals are not guards of the judge */
            continue;
        if (!source_guards[i]->available(&absent)) {
            snprintf(l->why, sizeof l->why, "%s: %s; %s", absent.what, absent.why, absent.help);
            continue;
        }
        const int rc = source_guards[i]->check(pair, &refused, err);
        if (rc == 1)
            return judge_refuse(&l->refusal, judge_guard_named(refused.guard), "%s",
                                refused.evidence);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int judge_look(const struct judge_options *own, struct judge_looked *l, struct error *err)
{
    char *texts[2] = {NULL, NULL};
    struct source_pair pair = {.path = own->baseline,
                               .candidate_path = own->candidate,
                               .function = l->function,
                               .build = l->build,
                               .amd = l->amd,
                               .allow = own->allow};
    int rc = 0;
    l->why[0] = '\0';
    if (!is_readable(own->baseline) || !is_readable(own->candidate)) {
        snprintf(l->why, sizeof l->why, "not both are sources in C, C++, HIP or CUDA");
        return 0;
    }
    rc = text_file_read(&texts[0], &pair.n_original, own->baseline, err);
    if (rc == 0)
        rc = text_file_read(&texts[1], &pair.n_candidate, own->candidate, err);
    pair.original = texts[0];
    pair.candidate = texts[1];
    if (rc == 0)
        rc = ask_guards(&pair, l, err);
    free(texts[0]);
    free(texts[1]);
    return rc;
}
