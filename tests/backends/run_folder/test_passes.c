/* A folder of several passes of rocprofv3. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/temp_folder.h"
#include "support/trace_look.h"
#include "support/test.h"

#define HEAD                                                                                       \
    "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\",\"Thread_Id\","   \
    "\"Grid_Size\",\"Kernel_Id\",\"Kernel_Name\",\"Workgroup_Size\",\"LDS_Block_Size\","           \
    "\"Scratch_Size\",\"VGPR_Count\",\"SGPR_Count\",\"Counter_Name\",\"Counter_Value\","           \
    "\"Start_Timestamp\",\"End_Timestamp\"\n"
#define ROW(id, pid, name, counter, value, from, to)                                               \
#id "," #id ",4,1," #pid "," #pid ",256,1,\"" name "\",64,0,0,8,16,\"" counter "\"," #value    \
        "," #from "," #to "\n"

static void put(unsigned pass, const char *text)
{
    char name[64];
    snprintf(name, sizeof name, "pmc_%u/host/%u_counter_collection.csv", pass, 70 + pass);
    temp_folder_put(name, text);
}

TEST_WITH(passes_of_one_program_are_one_run, temp_folder_make, temp_folder_remove)
{
    struct trace t;
    put(1, HEAD ROW(1, 71, "f", "SQ_WAVES", 4, 100, 200) ROW(2, 71, "g", "SQ_WAVES", 5, 300, 400));
    put(2, HEAD ROW(1, 72, "f", "GRBM_COUNT", 9, 1100, 1250)
               ROW(2, 72, "g", "GRBM_COUNT", 8, 1300, 1450));
    look_open(&t, temp_folder);
    assert_int_equal(t.ndispatches, 2);
    uint32_t f = look_for(&t, NODE_KERNEL, "f", 0), g = look_for(&t, NODE_KERNEL, "g", 0);
    assert_true(look_counter(&t, f, "SQ_WAVES") == 4 && look_counter(&t, f, "GRBM_COUNT") == 9);
    assert_true(look_counter(&t, g, "SQ_WAVES") == 5 && look_counter(&t, g, "GRBM_COUNT") == 8);
    assert_int_equal(t.calls->duration[f], 100); /* of the first pass */
    assert_int_equal(t.nnotes, 0);
    trace_free(&t);
}

TEST_WITH(passes_that_ran_otherwise_are_told, temp_folder_make, temp_folder_remove)
{
    struct trace t;
    put(1, HEAD ROW(1, 71, "f", "SQ_WAVES", 4, 100, 200));
    put(2, HEAD ROW(1, 72, "f", "GRBM_COUNT", 9, 1100, 1250)
               ROW(2, 72, "f", "GRBM_COUNT", 8, 1300, 1450));
    put(3, "no trace");
    look_open(&t, temp_folder);
    assert_int_equal(t.ndispatches, 1);
    assert_int_equal(t.nnotes, 2);
    assert_non_null(strstr(t.notes[0], "counters of 1 kernel of another pass left out"));
    assert_non_null(strstr(t.notes[1], "pmc_3"));
    trace_free(&t);
}

TEST_WITH(one_pass_is_a_folder_like_others, temp_folder_make, temp_folder_remove)
{
    struct trace t;
    put(1, HEAD ROW(1, 71, "f", "SQ_WAVES", 4, 100, 200));
    look_open(&t, temp_folder);
    assert_int_equal(t.ndispatches, 1);
    trace_free(&t);
}
