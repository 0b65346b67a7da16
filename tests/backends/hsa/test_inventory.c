/* What may happen to the process that asks the HSA runtime. (Forks: not for TSan.) */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/hsa/inventory.h"

static int good(struct hsa_inventory *h, struct error *err)
{
    (void)err;
    h->major = 1;
    h->vmem = true;
    h->nagents = 2;
    strcpy(h->agent[0].name, "a CPU");
    strcpy(h->agent[1].name, "gfx90a");
    strcpy(h->agent[1].isa[0], "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-");
    h->agent[1].gpu = true;
    h->agent[1].nisas = 1;
    return 0;
}

static int refused(struct hsa_inventory *h, struct error *err)
{
    (void)h;
    return error_set(err, ERROR_UNSUPPORTED, ENODEV, "a GPU", "hsa_init", "out of resources");
}

static int crashes(struct hsa_inventory *h, struct error *err)
{
    (void)h;
    (void)err;
    raise(SIGKILL);
    return 0;
}

static int aborts(struct hsa_inventory *h, struct error *err)
{
    (void)h;
    (void)err;
    printf("a runtime that complains\n"); /* not on our screen */
    fflush(stdout);
    _exit(3);
}

static int hangs(struct hsa_inventory *h, struct error *err)
{
    (void)h;
    (void)err;
    for (;;)
        pause();
    return 0;
}

static int lies(struct hsa_inventory *h, struct error *err)
{
    good(h, err);
    h->nagents = 4000000;
    return 0;
}

static int unended(struct hsa_inventory *h, struct error *err)
{
    good(h, err);
    memset(h->agent[1].name, 'x', sizeof h->agent[1].name);
    memset(h->library, 'y', sizeof h->library);
    return 0;
}

static struct hsa_inventory *h;
static struct error err;

static int ask(int (*fill)(struct hsa_inventory *, struct error *), int timeout_ms)
{
    free(h);
    err = (struct error)ERROR_INIT;
    return hsa_inventory_of(&h, timeout_ms, fill, &err);
}

static void an_answer_comes_through(void **state)
{
    (void)state;
    assert_int_equal(ask(good, HSA_TIMEOUT_MS), 0);
    assert_true(h->vmem);
    assert_int_equal(h->nagents, 2);
    assert_string_equal(h->agent[1].name, "gfx90a");
}

static void a_refusal_keeps_its_words(void **state)
{
    (void)state;
    assert_int_equal(ask(refused, HSA_TIMEOUT_MS), -ENODEV);
    assert_null(h);
    assert_int_equal(err.kind, ERROR_UNSUPPORTED);
    assert_string_equal(err.what, "hsa_init");
    assert_string_equal(err.why, "out of resources");
    assert_string_equal(err.help, "a GPU");
}

static void a_crash_is_told(void **state)
{
    (void)state;
    assert_true(ask(crashes, HSA_TIMEOUT_MS) < 0);
    assert_non_null(strstr(err.why, "ended the process"));
    assert_true(ask(aborts, HSA_TIMEOUT_MS) < 0);
    assert_non_null(strstr(err.why, "ended the process"));
}

static void what_hangs_is_given_up(void **state)
{
    (void)state;
    assert_int_equal(ask(hangs, 100), -ETIMEDOUT);
    assert_non_null(strstr(err.why, "hangs"));
    assert_null(h);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    assert_true(ask(lies, HSA_TIMEOUT_MS) < 0);
    assert_null(h);
    assert_int_equal(ask(unended, HSA_TIMEOUT_MS), 0);
    assert_int_equal(strlen(h->agent[1].name), sizeof h->agent[1].name - 1);
    assert_int_equal(strlen(h->library), sizeof h->library - 1);
}

static void which_code_runs_here(void **state)
{
    (void)state;
    char why[256];
    assert_int_equal(ask(good, HSA_TIMEOUT_MS), 0);
    assert_null(hsa_inventory_lacks(h, "gfx90a", why, sizeof why));
    assert_null(hsa_inventory_lacks(h, "amdgcn-amd-amdhsa--gfx90a", why, sizeof why));
    assert_null(hsa_inventory_lacks(h, "amdgcn-amd-amdhsa--gfx90a:xnack-", why, sizeof why));
    assert_non_null(hsa_inventory_lacks(h, "amdgcn-amd-amdhsa--gfx90a:xnack+", why, sizeof why));
    const char *text = hsa_inventory_lacks(h, "gfx942", why, sizeof why);
    assert_non_null(strstr(text, "the code is for gfx942; this host has"));
    assert_non_null(strstr(text, "gfx90a"));
    assert_non_null(hsa_inventory_lacks(h, "gfx90", why, sizeof why));
    h->nagents = 1;
    assert_string_equal(hsa_inventory_lacks(h, "gfx90a", why, sizeof why),
                        "the HSA runtime sees no GPU");
    free(h);
    h = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_comes_through), cmocka_unit_test(a_refusal_keeps_its_words),
        cmocka_unit_test(a_crash_is_told),         cmocka_unit_test(what_hangs_is_given_up),
        cmocka_unit_test(nonsense_is_refused),     cmocka_unit_test(which_code_runs_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
