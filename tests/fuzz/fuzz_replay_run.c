/* Output of a replay's child: lines of standard output, and (after '!') of standard error; the
 * last byte is how it ended. Whatever comes, the run ends in a state that can be shown. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/replay/replay_run.h"

static void check(const struct replay_run *run)
{
    if (run->n > REPLAY_SAMPLES_MAX || run->iterations < run->n || !replay_run_over(run) ||
        (run->state == REPLAY_FAILED && (!run->kind || !replay_kind_name(run->kind)[0])) ||
        (run->state == REPLAY_DONE && !run->has_result))
        abort();
    for (size_t i = 0; i < run->n; i++)
        if (!(run->samples[i] >= 0))
            abort();
    if (!run->has_result)
        return;
    struct replay_result again; /* the stored document reads back the same */
    if (replay_result_parse(&again, run->result.json, strlen(run->result.json)) != 0 ||
        again.timing.n != run->result.timing.n || again.nvariants != run->result.nvariants ||
        again.verify.n != run->result.verify.n || again.emulated != run->result.emulated)
        abort();
    replay_result_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct replay_run run = {0};
    uint64_t now = 1;
    if (size == 0)
        return 0;
    int end = data[--size];
    replay_run_start(&run, (enum replay_job)(end % REPLAY_JOBS), now);
    while (size > 0) {
        const uint8_t *nl = memchr(data, '\n', size);
        size_t n = nl ? (size_t)(nl - data) : size;
        if (n && data[0] == '!')
            replay_run_said(&run, (const char *)data + 1, n - 1);
        else
            replay_run_line(&run, (const char *)data, n, ++now);
        n += nl != NULL;
        data += n;
        size -= n;
    }
    replay_run_end(&run, (enum replay_end)(end % 4), end % 3 ? end << 8 : end & 0x7f, 1, ++now);
    check(&run);
    replay_run_free(&run);
    return 0;
}
