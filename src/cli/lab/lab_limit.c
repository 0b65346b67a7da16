#include "cli/lab/lab_limit.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/print.h"
#include "engine/ports/mca.h"
#include "export/lab/loop_export.h"
#include "vtpu/compile.h"

static int predict_lab_limit(struct lab_limit *out, enum vtpu_target target, struct error *err)
{
    static struct siw words[LAB_WORDS];
    struct vtpu_native code;
    struct mca_model *m = xcalloc(1, sizeof *m);
    vtpu_stream(vtpu_workload_find("balanced"), words, LAB_WORDS, 0);
    vtpu_compile(target, words, LAB_WORDS, &code);
    int rc =
        mca_run_code(code.bytes + code.loop, code.loop_end - code.loop,
                     target == VTPU_TARGET_ARM64 ? MACHINE_ARM64 : MACHINE_X86_64, NULL, m, err);
    if (rc == 0) {
        print_line(out->tool, sizeof out->tool, "%s", m->tool);
        print_line(out->core, sizeof out->core, "%s", m->cpu);
        loop_bound_text(m, out->bound);
        out->words = (double)code.loop_words;
        out->cycles = m->cycles;
    }
    free(code.bytes);
    free(m);
    return rc;
}

void lab_limit_predict(struct lab_limit *out, const char *target)
{
    struct error err = ERROR_INIT;
    for (int t = 0; t < VTPU_TARGETS; t++)
        if (strcmp(target, vtpu_target_name((enum vtpu_target)t)) == 0 &&
            predict_lab_limit(out, (enum vtpu_target)t, &err) < 0)
            print_line(out->why, sizeof out->why, "%s: %s%s%s", err.what, err.why,
                       *err.help ? "; " : "", err.help);
}
