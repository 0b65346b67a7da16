/* Any bytes as a text of an exporter; the first one chooses the format. What is read lies in the
 * text, and what is refused has a reason and a place. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "exposition/exposition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_inside(const char *p, const char *text, size_t n)
{
    if (*p && (p < text || p + strlen(p) > text + n))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct exposition e;
    struct exposition_sample s;
    struct error err = ERROR_INIT;
    int rc;
    if (size == 0)
        return 0;
    const size_t n = size - 1;
    char *text = malloc(n + 1);
    memcpy(text, data + 1, n);
    exposition_open(&e, *data % 2 ? EXPOSITION_TEXT : EXPOSITION_OPENMETRICS, text, n, "fuzz");
    while ((rc = exposition_next(&e, &s, &err)) == 1) {
        if (!*s.name || s.nlabels > EXPOSITION_LABELS)
            abort();
        check_inside(s.name, text, n);
        check_inside(s.unit, text, n);
        check_inside(s.help, text, n);
        for (size_t i = 0; i < s.nlabels; i++) {
            check_inside(s.labels[i].name, text, n);
            check_inside(s.labels[i].value, text, n);
        }
    }
    if (rc < 0 && (err.kind != ERROR_INPUT || !*err.why || !strstr(err.what, "line ")))
        abort();
    free(text);
    return 0;
}
