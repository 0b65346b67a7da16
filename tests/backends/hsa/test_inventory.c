/* Decodes what the process that asks the HSA runtime sends. test_ask.c tests how that process may
 * end. */
#include "backends/hsa/inventory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/env.h"
#include "support/fake_ask.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/test.h"

static struct hsa_inventory *sent, *h;
static struct error err;

FIXTURE(set_up)
{
    fake_ask_new();
    sent = xcalloc(1, sizeof *sent);
    sent->major = 1;
    sent->vmem = true;
    sent->nagents = 2;
    strcpy(sent->agent[0].name, "a CPU");
    strcpy(sent->agent[1].name, "gfx90a");
    strcpy(sent->agent[1].isa[0], "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-");
    sent->agent[1].gpu = true;
    sent->agent[1].nisas = 1;
}

FIXTURE(tear_down)
{
    free(sent);
    free(h);
    h = NULL;
    fake_ask_free();
}

static int asked(const char *how, int rc, const struct error *why, int timeout_ms)
{
    size_t n;
    void *bytes = hsa_inventory_pack(rc, sent, why, &n);
    fake_ask_set(how, bytes, n);
    free(bytes);
    free(h);
    err = (struct error)ERROR_INIT;
    return hsa_inventory_ask(&h, timeout_ms, &err);
}

static int heard(void)
{
    return asked("good", 0, &(struct error)ERROR_INIT, HSA_TIMEOUT_MS);
}

TEST_WITH(an_answer_comes_through, set_up, tear_down)
{
    assert_int_equal(heard(), 0);
    assert_true(h->vmem);
    assert_int_equal(h->nagents, 2);
    assert_string_equal(h->agent[1].name, "gfx90a");
    assert_true(h->agent[1].gpu);
}

TEST_WITH(a_refusal_keeps_its_words, set_up, tear_down)
{
    struct error why;
    int rc = error_set(&why, ERROR_UNSUPPORTED, ENODEV, "a GPU", "hsa_init", "out of resources");
    assert_int_equal(asked("noise", rc, &why, HSA_TIMEOUT_MS), -ENODEV);
    assert_null(h);
    assert_int_equal(err.kind, ERROR_UNSUPPORTED);
    assert_string_equal(err.what, "hsa_init");
    assert_string_equal(err.why, "out of resources");
    assert_string_equal(err.help, "a GPU");
}

TEST_WITH(a_crash_or_a_hang_is_the_runtimes, set_up, tear_down)
{
    const struct error none = ERROR_INIT;
    assert_int_equal(asked("crash", 0, &none, HSA_TIMEOUT_MS), -EIO);
    assert_string_equal(err.what, "ask the HSA runtime");
    assert_non_null(strstr(err.why, "hsa_init() ended the process that asked"));
    assert_int_equal(asked("hang", 0, &none, 100), -ETIMEDOUT);
    assert_non_null(strstr(err.why, "hsa_init() hangs"));
    assert_null(h);
    fake_ask_no_child_left();
}

TEST_WITH(nonsense_is_refused, set_up, tear_down)
{
    sent->nagents = 4000000;
    assert_int_equal(heard(), -EIO);
    assert_null(h);
    assert_non_null(strstr(err.why, "answer is invalid"));
    sent->nagents = 2;
    sent->agent[0].npools = HSA_POOLS_MAX + 1;
    assert_int_equal(heard(), -EIO);
    fake_ask_set("good", "an answer to something else", 27);
    assert_int_equal(hsa_inventory_ask(&h, HSA_TIMEOUT_MS, &err), -EIO);
    assert_non_null(strstr(err.why, "answer is invalid"));
}

TEST_WITH(texts_without_an_end_get_one, set_up, tear_down)
{
    memset(sent->agent[1].name, 'x', sizeof sent->agent[1].name);
    memset(sent->library, 'y', sizeof sent->library);
    memset(&sent->agent[1].gpu, 3, 1);
    assert_int_equal(heard(), 0);
    assert_int_equal(strlen(h->agent[1].name), sizeof h->agent[1].name - 1);
    assert_int_equal(strlen(h->library), sizeof h->library - 1);
    assert_true(h->agent[1].gpu);
}

/* The real rooftop answers, with or without a runtime and a GPU. */
TEST_WITH(rooftop_answers, set_up, tear_down)
{
    const char *rooftop = program_rooftop();
    if (!rooftop)
        skip_because("rooftop was not built");
    env_put("ROOFTOP_SELF", rooftop);
    int rc = hsa_inventory_ask(&h, HSA_TIMEOUT_MS, &err);
    assert_true(rc == 0 ? h != NULL : strcmp(err.what, "ask the HSA runtime") != 0);
}
