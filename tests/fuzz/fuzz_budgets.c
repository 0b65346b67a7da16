/* Files of assertions and of scenarios of golden traces: any text is read or refused. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "engine/budgets/budgets.h"
#include "engine/golden/golden_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct budget_file file;
    struct golden_scenarios scenarios;
    struct error err = ERROR_INIT;
    if (budget_file_parse(&file, "f", (const char *)data, size, &err) == 0) {
        struct run_facts *facts = run_facts_new();
        struct budget_verdict *out = xcalloc(file.n + 1, sizeof *out);
        const struct budget_run run = {.facts = facts, .program = "p"};
        bool failed;
        run_facts_finish(facts);
        budget_judge_all(&file, &run, out, &failed);
        free(out);
        run_facts_free(facts);
        budget_file_free(&file);
    }
    if (golden_scenarios_parse(&scenarios, "f", (const char *)data, size, &err) == 0)
        golden_scenarios_free(&scenarios);
    return 0;
}
