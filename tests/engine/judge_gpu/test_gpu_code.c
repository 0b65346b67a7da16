/* The guards that look at code objects: arguments, work-groups, data that stays, services of the
 * host, registers and memory. */
#include "engine/judge_gpu/gpu_code.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

static struct code_arg args[2][3];
static struct code_variable variable;
static struct code_kernel kernel[2];
static struct code_object object[2];
static struct capture capture;
static bool allow[JUDGE_GUARDS];
static struct judge_refusal refused;

FIXTURE(begin)
{
    memset(allow, 0, sizeof allow);
    capture = (struct capture){.block = {256, 1, 1}, .group_segment_size = 1024};
    variable = (struct code_variable){.name = "count", .size = 4, .writable = true};
    for (int i = 0; i < 2; i++) {
        for (uint32_t k = 0; k < 3; k++)
            args[i][k] = (struct code_arg){.name = "",
                                           .kind = CODE_ARG_GLOBAL_BUFFER,
                                           .kind_name = "global_buffer",
                                           .offset = 8 * k,
                                           .size = 8};
        kernel[i] = (struct code_kernel){.name = "k",
                                         .args = args[i],
                                         .nargs = 3,
                                         .nexplicit = 2,
                                         .group_size = 1024,
                                         .private_size = 0,
                                         .wavefront_size = 64,
                                         .max_flat_workgroup_size = 1024,
                                         .vgprs = 32,
                                         .agprs = 0,
                                         .sgprs = 20};
        object[i] = (struct code_object){.name = "o", .isa = "amdgcn-amd-amdhsa--gfx942:xnack-"};
    }
}

static int judge_it(void)
{
    const struct gpu_side side[2] = {{&object[0], &kernel[0]}, {&object[1], &kernel[1]}};
    struct gpu_resources r[2];
    for (int i = 0; i < 2; i++)
        r[i] = gpu_resources_of(&side[i], &capture, &kernel[0]);
    return gpu_code_guard(side, r, &capture, allow, &refused);
}

static void refuses(enum judge_guard guard, const char *words)
{
    if (judge_it() != 1 || refused.guard != guard || !strstr(refused.evidence, words))
        fail_msg("wanted %s: %s", judge_guard_name(guard), words);
    allow[guard] = true;
    assert_int_equal(judge_it(), 0);
}

TEST_WITH(test_alike, begin, NULL)
{
    assert_int_equal(judge_it(), 0);
    const struct gpu_side side = {&object[0], &kernel[0]};
    const struct gpu_resources r = gpu_resources_of(&side, &capture, &kernel[0]);
    assert_true(r.waves == 8);
    assert_int_equal(r.lds, 1024);
    capture.group_segment_size = 1500; /* 476 bytes of it are dynamic */
    kernel[1].group_size = 2048;
    const struct gpu_side other = {&object[1], &kernel[1]};
    assert_int_equal(gpu_resources_of(&other, &capture, &kernel[0]).lds, 2048 + 476);
}

TEST_WITH(test_number_of_arguments, begin, NULL)
{
    kernel[1].nexplicit = 1;
    refuses(GUARD_ARGUMENTS, "it takes 1 arguments, not 2");
}
TEST_WITH(test_layout_of_arguments, begin, NULL)
{
    args[1][1].size = 4;
    refuses(GUARD_ARGUMENTS, "argument 2 is global_buffer of 4 bytes at 8, not");
}
TEST_WITH(test_work_groups, begin, NULL)
{
    kernel[1].required_workgroup_size[0] = 64;
    kernel[1].required_workgroup_size[1] = kernel[1].required_workgroup_size[2] = 1;
    refuses(GUARD_ARGUMENTS, "it requires work-groups of 64,");
}
TEST_WITH(test_waves, begin, NULL)
{
    kernel[1].wavefront_size = 32;
    refuses(GUARD_ARGUMENTS, "its waves have 32 lanes, not 64");
}
TEST_WITH(test_data_that_stays, begin, NULL)
{
    object[1].variables = &variable;
    object[1].nvariables = 1;
    refuses(GUARD_STATE, "no variable count of 4 bytes");
    allow[GUARD_STATE] = false;
    object[0] = object[1]; /* the baseline has it, too */
    assert_int_equal(judge_it(), 0);
    object[0].nvariables = 0;
    variable.writable = false; /* a table */
    assert_int_equal(judge_it(), 0);
}
TEST_WITH(test_services, begin, NULL)
{
    args[1][2].kind = CODE_ARG_HOSTCALL_BUFFER;
    args[1][2].kind_name = "hidden_hostcall_buffer";
    refuses(GUARD_CALLS, "hidden_hostcall_buffer");
}
TEST_WITH(test_scratch, begin, NULL)
{
    kernel[0].private_size = 100;
    kernel[1].private_size = 120;
    assert_int_equal(judge_it(), 0);
    kernel[1].private_size = 121;
    refuses(GUARD_RESOURCES, "scratch memory of a lane: 121, the baseline has 100");
}
TEST_WITH(test_spills, begin, NULL)
{
    kernel[1].vgpr_spills = 1;
    refuses(GUARD_RESOURCES, "spilled VGPRs: 1, the baseline has 0");
}

/* 64 registers cost no waves, 128 half of them. */
TEST_WITH(test_registers, begin, NULL)
{
    kernel[1].vgprs = 64;
    assert_int_equal(judge_it(), 0);
    kernel[1].vgprs = 128;
    refuses(GUARD_RESOURCES, "VGPRs, at the cost of occupancy: 128");
}

/* A third of the LDS of a unit allows two work-groups of 4 waves, no more. */
TEST_WITH(test_lds, begin, NULL)
{
    kernel[1].group_size = 4096;
    assert_int_equal(judge_it(), 0);
    kernel[1].group_size = 22000;
    refuses(GUARD_RESOURCES, "LDS, at the cost of occupancy: 22000");
    allow[GUARD_RESOURCES] = false;
    kernel[1].group_size = 70000;
    refuses(GUARD_RESOURCES, "a unit of gfx942 has 65536");
}
