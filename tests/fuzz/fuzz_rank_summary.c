/* Any bytes as the summary of a rank: refused, or what is written from it is read again as the
 * same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/job/rank_summary.h"
#include "engine/value/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rank_summary s, back;
    struct error err = ERROR_INIT;
    if (rank_summary_parse(&s, (const char *)data, size, "fuzz", &err) != 0)
        return 0;
    char *text = record_document(RANK_SCHEMA, rank_summary_record, &s);
    if (!text || rank_summary_parse(&back, text, strlen(text), "again", &err) != 0)
        abort();
    char *again = record_document(RANK_SCHEMA, rank_summary_record, &back);
    if (!again || strcmp(text, again) != 0)
        abort();
    free(text);
    free(again);
    return 0;
}
