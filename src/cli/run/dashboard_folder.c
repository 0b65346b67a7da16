/* The dashboard, and from the ranks of a job the dashboards of single ranks and back. */
#include <stdio.h>
#include <string.h>

#include "cli/options/exit.h"
#include "cli/run/dashboard.h"
#include "cli/run/run_impl.h"

/* Puts the cursor back on the rank that was looked at. */
static void go_back_to_rank(struct app *a, const void *what)
{
    struct error ignored = ERROR_INIT;
    app_choose_row(a, "ranks", what, &ignored);
}

/* Shows a file of the opened folder, as long as the user chooses one; leaving it leads back to the
 * folder, and leaving that ends rooftop. */
int dashboard_run(struct options *o)
{
    char opened[DASHBOARD_PATH] = "", key[VIEW_TEXT_MAX] = "";
    int status = dashboard_once(o, NULL, NULL, opened);
    while (opened[0] && status == EXIT_DONE) {
        struct options inner = *o;
        char *operands[] = {opened, NULL}, ignored[DASHBOARD_PATH];
        const char *name = opened + strlen(o->operands[0]) + 1;
        name += *name == '.'; /* its rank still runs: job_member_key */
        snprintf(key, sizeof key, "%.*s", (int)strcspn(name, "./"), name);
        inner.operands = operands;
        inner.view = NULL;
        status = dashboard_once(&inner, NULL, NULL, ignored);
        if (status == EXIT_DONE)
            status = dashboard_once(o, go_back_to_rank, key, opened);
    }
    return status;
}

int dashboard_show(struct options *o, dashboard_fill *fill, const void *what)
{
    char ignored[DASHBOARD_PATH];
    return dashboard_once(o, fill, what, ignored);
}
