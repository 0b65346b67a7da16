/* Which GPU of a host can replay a capture. */
#include "engine/replay/replay_host.h"
#include "support/test.h"

#include <string.h>

#define MI300X                                                                                     \
    {                                                                                              \
        "AMD Instinct MI300X", {"amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"}, 1, 0                 \
    }
#define MI210                                                                                      \
    {                                                                                              \
        "AMD Instinct MI210", {"amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"}, 1, 0                  \
    }

static const struct replay_host mixed = {.known = true, .gpu = {MI210, MI300X, MI300X}, .ngpus = 3};
static const struct capture for_942 = {.isa_name = "amdgcn-amd-amdhsa--gfx942", .agent_name = ""};
static const struct capture for_1100 = {.isa_name = "", .agent_name = "gfx1100"};

TEST(one_suitable_gpu_is_enough)
{
    char why[REPLAY_WHY_MAX];
    assert_int_equal(replay_host_can(&mixed, &for_942, why), REPLAY_CAN);
    assert_string_equal(why, "");
    assert_int_equal(replay_host_can(&mixed, &for_1100, why), REPLAY_CANNOT);
    assert_non_null(strstr(why, "gfx1100"));
}

TEST(a_gpu_that_can_replay_is_chosen)
{
    assert_int_equal(replay_host_choose(&mixed, &for_942, 0), 1); /* GPU 0 cannot */
    assert_int_equal(replay_host_choose(&mixed, &for_942, 2), 2); /* the wanted one */
    assert_int_equal(replay_host_choose(&mixed, &for_942, 9), 1); /* there is no such GPU */
    assert_int_equal(replay_host_choose(&mixed, &for_1100, 2), 2);
    assert_int_equal(replay_host_choose(&mixed, &for_1100, 9), 0);
}

/* A capture that is larger than the GPU's memory cannot be replayed; regions in host memory do not
 * count. */
TEST(its_memory_must_hold_it)
{
    struct capture_region regions[] = {{.size = 3 << 20, .segment = CAPTURE_DEVICE},
                                       {.size = 2 << 20, .segment = CAPTURE_DEVICE},
                                       {.size = 64 << 20, .segment = CAPTURE_HOST}};
    struct capture c = for_942;
    struct replay_host h = mixed;
    char why[REPLAY_WHY_MAX];
    c.regions = regions;
    c.nregions = 3;
    /* the size of its memory is unknown */
    assert_int_equal(replay_host_can(&h, &c, why), REPLAY_CAN);
    h.gpu[1].memory = h.gpu[2].memory = 4 << 20;
    assert_int_equal(replay_host_can(&h, &c, why), REPLAY_CANNOT);
    assert_string_equal(why, "it holds 5.00 MiB of device memory, the GPU has 4.00 MiB");
    h.gpu[2].memory = 5 << 20;
    assert_int_equal(replay_host_can(&h, &c, why), REPLAY_CAN);
    assert_int_equal(replay_host_choose(&h, &c, 1), 2);
}

TEST(nothing_known_is_no_gpu)
{
    const struct replay_host none = {.known = true}, unknown = {.why = "it hangs"};
    char why[REPLAY_WHY_MAX];
    assert_int_equal(replay_host_can(&none, &for_942, why), REPLAY_CANNOT);
    assert_string_equal(why, "the runtime shows no GPU");
    assert_int_equal(replay_host_can(&unknown, &for_942, why), REPLAY_CAN_UNKNOWN);
    assert_string_equal(why, "it hangs");
    assert_int_equal(replay_host_choose(&none, &for_942, 3), 0);
}
