/* NUMA nodes: read from sysfs, and measured with memory of a certain node. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/roofs/roofs_impl.h"
#include "base/env.h"
#include "support/temp_folder.h"
#include "support/test.h"

#define NODES "root/sys/devices/system/node/"

/* Two nodes with CPUs, and memory alone as CXL makes it; node 2 is not there. */
TEST_WITH(nodes_are_those_of_sysfs, temp_folder_make, temp_folder_remove)
{
    struct crew crew = {.cpu = {1, 6, 9}};
    struct numa_nodes nodes;
    char root[128];
    snprintf(root, sizeof root, "%s/root", temp_folder);
    temp_folder_put(NODES "node0/cpulist", "0-3,8-11\n");
    temp_folder_put(NODES "node0/meminfo", "Node 0 MemTotal:  1000 kB\nNode 0 MemFree:  500 kB\n");
    temp_folder_put(NODES "node1/cpulist", "4-7,12-15\n");
    temp_folder_put(NODES "node1/meminfo", "Node 1 MemTotal:  0 kB\nNode 1 MemFree:  0 kB\n");
    temp_folder_put(NODES "node3/cpulist", "\n");
    temp_folder_put(NODES "node3/meminfo", "Node 3 MemTotal:  99 kB\nNode 3 MemFree:  9 kB\n");
    env_set_root(root);
    numa_read(&nodes, &crew, 3);
    env_set_root(NULL);
    assert_int_equal(nodes.n, 3);
    assert_int_equal(nodes.node[0].cpu, 1);
    assert_true(nodes.node[0].memory && nodes.node[0].free == 500 * 1024);
    assert_int_equal(nodes.node[1].cpu, 6);
    assert_false(nodes.node[1].memory);
    assert_int_equal(nodes.node[2].id, 3);
    assert_int_equal(nodes.node[2].cpu, -1);
    assert_true(nodes.node[2].memory);
}

TEST(memory_of_a_node_that_is_not_there_is_refused)
{
    assert_null(roof_memory(4096, PAGES_SMALL, (struct roof_place){true, 1000}));
    assert_null(roof_memory(4096, PAGES_SMALL, (struct roof_place){true, 1 << 20}));
    char *near = roof_memory(4096, PAGES_SMALL, (struct roof_place){false, 0});
    assert_non_null(near);
    roof_memory_free(near, 4096);
}

/* The one node of any machine, where the kernel knows nodes and lets this process bind memory. */
TEST(a_pair_has_a_bandwidth_and_a_latency)
{
    struct crew crew;
    struct numa_nodes nodes;
    struct host_roofs roofs = {.cpus = 1};
    const uint32_t cpus = crew_find_cpus(&crew);
    const int first = crew.cpu[0];
    numa_read(&nodes, &crew, cpus);
    char *there =
        nodes.n && nodes.node[0].cpu >= 0 && nodes.node[0].free > 8 << 20
            ? roof_memory(4096, PAGES_SMALL, (struct roof_place){true, (uint32_t)nodes.node[0].id})
            : NULL;
    if (!there)
        skip();
    roof_memory_free(there, 4096);
    const struct numa_wish wish = {
        .crew = &crew, .bytes = 1 << 20, .slices = 5, .from = &nodes.node[0], .to = &nodes.node[0]};
    assert_int_equal(numa_measure(&wish, &roofs), 0);
    assert_int_equal(crew.cpu[0], first);
    assert_in_range(roofs.n, 1, 2);
    for (size_t i = 0; i < roofs.n; i++) {
        const struct host_roof *row = &roofs.rows[i];
        assert_true(row->nodes && (int)row->cpu_node == nodes.node[0].id);
        assert_true(row->refused[0] || row->value > 0);
    }
    host_roofs_free(&roofs);
    /* more than the node has is not even asked for */
    struct numa_node small = nodes.node[0];
    small.free = 4096;
    struct numa_wish more = wish;
    more.to = &small;
    assert_int_equal(numa_measure(&more, &roofs), 0);
    assert_int_equal(roofs.n, 1);
    assert_non_null(strstr(roofs.rows[0].refused, "may not have memory of that node"));
    assert_true(isnan(roofs.rows[0].value));
    host_roofs_free(&roofs);
}
