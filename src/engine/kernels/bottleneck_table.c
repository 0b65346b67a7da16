/* The rules in the order in which they are tried, and the texts of labels and facts. */

#include "engine/kernels/bottleneck.h"

const double bottleneck_short = 10e-6;

#define MIN(f, x)                                                                                  \
    {                                                                                              \
        .fact = (f), .limit = (x)                                                                  \
    }
#define MAX(f, x)                                                                                  \
    {                                                                                              \
        .fact = (f), .limit = (x), .below = true                                                   \
    }
#define MIN_SUP(f, x)                                                                              \
    {                                                                                              \
        .fact = (f), .limit = (x), .support = true                                                 \
    }
#define HALF                                                                                       \
    "half and half: more of the time from the queue's last end to this one's end was idle before " \
    "the kernel than in it"
#define SEED(n) "rocm-perf-lab, bottleneck_classifier.py, rule " n
#define NCU     "Nsight Compute, rule SOLBottleneck: from 60 % of a peak on it is what bounds a kernel"

const struct bottleneck_rule bottleneck_rules[] = {
    {SCOPE_COPY,
     LABEL_COPY,
     {MIN(FACT_CRITICALITY, 0.1)},
     1,
     CONFIDENCE_HIGH,
     CONFIDENCE_HIGH,
     "a tenth of the critical path: Amdahl's law caps what is to be won at 1.1 times"},

    /* causes outside of a kernel come first: changes inside of the kernel would not help */
    {SCOPE_KERNEL, LABEL_HOST, {MIN(FACT_LATE, 0.5)}, 1, CONFIDENCE_HIGH, CONFIDENCE_HIGH, HALF},
    {SCOPE_KERNEL,
     LABEL_LAUNCH,
     {MAX(FACT_MEAN, 10e-6), MIN(FACT_GAP, 0.5), MIN_SUP(FACT_LAUNCH, 0.5)},
     3,
     CONFIDENCE_HIGH,
     CONFIDENCE_LOW,
     HALF "; launches take 2 to 10 us (NVIDIA, \"Getting Started with CUDA Graphs\")"},
    {SCOPE_KERNEL,
     LABEL_BANDWIDTH,
     {MAX(FACT_RIDGE, 1), MIN(FACT_BYTES, 0.6)},
     2,
     CONFIDENCE_HIGH,
     CONFIDENCE_HIGH,
     NCU},
    {SCOPE_KERNEL,
     LABEL_COMPUTE,
     {MIN(FACT_RIDGE, 1), MIN(FACT_FLOPS, 0.6)},
     2,
     CONFIDENCE_HIGH,
     CONFIDENCE_HIGH,
     NCU},
    {SCOPE_KERNEL,
     LABEL_WAVES,
     {MAX(FACT_UNITS, 0.9)},
     1,
     CONFIDENCE_HIGH,
     CONFIDENCE_HIGH,
     "compute units without work (CUDA Best Practices Guide, 11.1: more blocks than SMs)"},
    {SCOPE_KERNEL,
     LABEL_WAVES,
     {MAX(FACT_FILL, 0.5), MIN_SUP(FACT_STALL, 0.3)},
     2,
     CONFIDENCE_MEDIUM,
     CONFIDENCE_LOW,
     "as for registers below: less than half of what fits"},
    {SCOPE_KERNEL,
     LABEL_VGPR,
     {MAX(FACT_OCCUPANCY, 0.5), MIN(FACT_BY_VGPRS, 1), MIN_SUP(FACT_STALL, 0.3)},
     3,
     CONFIDENCE_MEDIUM,
     CONFIDENCE_LOW,
     "above half of the slots more waves seldom help (CUDA Best Practices Guide, 11.1); waits as "
     "in "
     "rule 1 of rocm-perf-lab"},
    {SCOPE_KERNEL,
     LABEL_LDS,
     {MAX(FACT_OCCUPANCY, 0.5), MIN(FACT_BY_LDS, 1), MIN_SUP(FACT_STALL, 0.3)},
     3,
     CONFIDENCE_MEDIUM,
     CONFIDENCE_LOW,
     "as for registers"},
    {SCOPE_KERNEL,
     LABEL_LATENCY,
     {MIN(FACT_STALL, 0.3), MAX(FACT_VMEM, 0.2), MIN_SUP(FACT_MEM_LATENCY, 200)},
     3,
     CONFIDENCE_HIGH,
     CONFIDENCE_MEDIUM,
     SEED("1") "; waits are counted once, and the latency is that of an access, not of all"},
    {SCOPE_KERNEL,
     LABEL_BANDWIDTH,
     {MAX(FACT_RIDGE, 1), MIN(FACT_VMEM, 0.2)},
     2,
     CONFIDENCE_MEDIUM,
     CONFIDENCE_MEDIUM,
     SEED("2")},
    {SCOPE_KERNEL,
     LABEL_COMPUTE,
     {MIN(FACT_RIDGE, 1), MIN(FACT_VALU, 0.6), MAX(FACT_STALL, 0.2)},
     3,
     CONFIDENCE_MEDIUM,
     CONFIDENCE_MEDIUM,
     SEED("3")},
    {SCOPE_KERNEL,
     LABEL_SCALAR,
     {MIN(FACT_SALU, 0.25)},
     1,
     CONFIDENCE_MEDIUM,
     CONFIDENCE_MEDIUM,
     SEED("4")},
    {SCOPE_KERNEL,
     LABEL_BRANCH,
     {MIN(FACT_BRANCH, 0.15)},
     1,
     CONFIDENCE_MEDIUM,
     CONFIDENCE_MEDIUM,
     SEED("5")},
    {SCOPE_KERNEL, LABEL_MIXED, {{0}}, 0, CONFIDENCE_NONE, CONFIDENCE_NONE, SEED("6")},

    /* the shape of a collective is no evidence: it uses few units on purpose */
    {SCOPE_COLLECTIVE,
     LABEL_PEER,
     {MIN(FACT_PEER, 0.5), MIN(FACT_EXPOSED, 0.2)},
     2,
     CONFIDENCE_MEDIUM,
     CONFIDENCE_MEDIUM,
     "half and half: the fastest call of the same size took less than half as long"},
    {SCOPE_COLLECTIVE,
     LABEL_COMMUNICATION,
     {MIN(FACT_EXPOSED, 0.5)},
     1,
     CONFIDENCE_HIGH,
     CONFIDENCE_HIGH,
     "half and half: for most of it no kernel computes beside it"},
    {SCOPE_COLLECTIVE,
     LABEL_HIDDEN,
     {MAX(FACT_EXPOSED, 0.2)},
     1,
     CONFIDENCE_HIGH,
     CONFIDENCE_HIGH,
     "at most a fifth is seen: Amdahl's law caps what is to be won at 1.25 times"},
    {SCOPE_COLLECTIVE,
     LABEL_COMMUNICATION,
     {MIN(FACT_EXPOSED, 0.3)},
     1,
     CONFIDENCE_LOW,
     CONFIDENCE_LOW,
     "nearly a third, as for copies of a profile"},
    {SCOPE_COLLECTIVE, LABEL_MIXED, {{0}}, 0, CONFIDENCE_NONE, CONFIDENCE_NONE, SEED("6")},

    {SCOPE_PROFILE,
     LABEL_COPY,
     {MIN(FACT_COPY_ALONE, 0.3), MIN_SUP(FACT_SAVES_COPY, 0.05)},
     2,
     CONFIDENCE_HIGH,
     CONFIDENCE_HIGH,
     "nearly a third: more than the hosts' part below leaves"},
    {SCOPE_PROFILE,
     LABEL_COPY,
     {MIN(FACT_PATH_COPY, 0.3), MIN_SUP(FACT_SAVES_COPY, 0.05)},
     2,
     CONFIDENCE_HIGH,
     CONFIDENCE_HIGH,
     "as before, on the critical path"},
    {SCOPE_PROFILE,
     LABEL_COMMUNICATION,
     {MIN(FACT_COMM_ALONE, 0.3), MIN_SUP(FACT_SAVES_COMM, 0.05)},
     2,
     CONFIDENCE_HIGH,
     CONFIDENCE_HIGH,
     "as for copies"},
    {SCOPE_PROFILE,
     LABEL_HOST,
     {MIN(FACT_IDLE, 0.5), MIN(FACT_PATH_HOST, 0.3), MIN_SUP(FACT_SAVES_HOST, 0.05)},
     3,
     CONFIDENCE_HIGH,
     CONFIDENCE_HIGH,
     "Nsight Systems, expert system, GPU Low Utilization: less than 50 %; where the host's part of "
     "the path is not known, nothing says that devices waited for it"},
    {SCOPE_PROFILE,
     LABEL_LAUNCH,
     {MIN(FACT_PATH_LAUNCH, 0.2), MIN(FACT_IDLE, 0.2), MIN_SUP(FACT_SHORT, 0.5)},
     3,
     CONFIDENCE_HIGH,
     CONFIDENCE_MEDIUM,
     "a fifth of the critical path, most dispatches short; a device that is busy waits for no "
     "launch"},
    {SCOPE_PROFILE,
     LABEL_LAUNCH,
     {MIN(FACT_SHORT, 0.5), MIN(FACT_IDLE, 0.2), MIN_SUP(FACT_PATH_LAUNCH, 0.2)},
     3,
     CONFIDENCE_HIGH,
     CONFIDENCE_LOW,
     "as before, where no launches are known"},
    {SCOPE_PROFILE,
     LABEL_HOST,
     {MIN(FACT_PATH_HOST, 0.5), MIN(FACT_IDLE, 0.2), MIN_SUP(FACT_SAVES_HOST, 0.05)},
     3,
     CONFIDENCE_MEDIUM,
     CONFIDENCE_MEDIUM,
     "half of the critical path; a device that is busy does not wait for the host"},
    {SCOPE_PROFILE,
     LABEL_DEVICE,
     {MAX(FACT_IDLE, 0.2), MIN_SUP(FACT_SAVES_DEVICE, 0.05)},
     2,
     CONFIDENCE_HIGH,
     CONFIDENCE_HIGH,
     "at most a fifth is idle: Amdahl's law caps what is to be won outside at 1.25 times"},
    {SCOPE_PROFILE, LABEL_MIXED, {{0}}, 0, CONFIDENCE_NONE, CONFIDENCE_NONE, SEED("6")},
    {0},
};

static const struct {
    const char *id, *name, *letter, *advice;
} labels[LABELS] = {
    [LABEL_NONE] = {"", "", "", ""},
    [LABEL_LATENCY] = {"memory-latency", "Memory latency bound", "l",
                       "more loads in flight: unroll, prefetch, more waves"},
    [LABEL_BANDWIDTH] = {"memory-bandwidth", "Memory bandwidth bound", "B",
                         "fewer bytes: reuse in LDS and registers, fuse, smaller types"},
    [LABEL_COMPUTE] = {"compute", "Compute bound", "C",
                       "fewer or wider operations: matrix units, smaller types"},
    [LABEL_SCALAR] = {"scalar", "Scalar bottleneck", "s",
                      "addresses and loop counters: strength reduction, unrolling"},
    [LABEL_BRANCH] = {"control-flow", "Control flow divergence", "d",
                      "branches: predicate, sort the work, unroll"},
    [LABEL_MIXED] = {"mixed", "Mixed / unclear", "-", ""},
    [LABEL_COPY] = {"copy", "Copy bound", "M", "copy less, from pinned memory, beside the kernels"},
    [LABEL_LAUNCH] = {"launch", "Launch bound", "L", "fuse kernels, or launch them as a graph"},
    [LABEL_HOST] = {"host", "Host bound", "H",
                    "launch earlier: less host work between, no waits, other threads"},
    [LABEL_VGPR] = {"occupancy-vgpr", "Occupancy limited by registers", "V",
                    "fewer registers: launch bounds, smaller tiles"},
    [LABEL_LDS] = {"occupancy-lds", "Occupancy limited by LDS", "D",
                   "less LDS a workgroup: smaller tiles, fewer stages"},
    [LABEL_WAVES] = {"occupancy-waves", "Occupancy limited by waves", "W",
                     "a larger grid: split the work finer, batch, run kernels side by side"},
    [LABEL_PEER] = {"peer", "Waits for a peer", "P",
                    "the rank that comes last: balance the work between ranks"},
    [LABEL_COMMUNICATION] = {"communication", "Communication bound", "X",
                             "start it earlier, beside kernels: smaller buckets, a stream of its "
                             "own; fewer bytes"},
    [LABEL_HIDDEN] = {"hidden", "Hidden behind kernels", "h", ""},
    [LABEL_DEVICE] = {"device", "Device bound", "K", "the kernels at the top of the table"},
};

const char *bottleneck_name(enum bottleneck_label l)
{
    return labels[l].name;
}
const char *bottleneck_id(enum bottleneck_label l)
{
    return labels[l].id;
}
const char *bottleneck_letter(enum bottleneck_label l)
{
    return labels[l].letter;
}
const char *bottleneck_advice(enum bottleneck_label l)
{
    return labels[l].advice;
}

static const struct {
    const char *id, *name;
    enum unit unit;
} facts[FACTS] = {
    [FACT_MEAN] = {"mean", "a call takes", UNIT_SECONDS},
    [FACT_GAP] = {"gap", "device idle before it", UNIT_PERCENT},
    [FACT_LATE] = {"late", "device idle until the host launched it", UNIT_PERCENT},
    [FACT_LAUNCH] = {"launch", "from its launch to its start", UNIT_PERCENT},
    [FACT_CRITICALITY] = {"criticality", "of the critical path", UNIT_PERCENT},
    [FACT_UNITS] = {"units", "compute units that get work", UNIT_PERCENT},
    [FACT_FILL] = {"fill", "its waves, of those the device has room for", UNIT_PERCENT},
    [FACT_OCCUPANCY] = {"occupancy", "waves that fit, of the slots", UNIT_PERCENT},
    [FACT_BY_VGPRS] = {"by_vgprs", "limited by registers", UNIT_NONE},
    [FACT_BY_LDS] = {"by_lds", "limited by LDS", UNIT_NONE},
    [FACT_RIDGE] = {"ridge", "intensity, of the ridge point's", UNIT_NONE},
    [FACT_FLOPS] = {"flops", "of the peak FLOP/s", UNIT_PERCENT},
    [FACT_BYTES] = {"bytes", "of the peak memory bandwidth", UNIT_PERCENT},
    [FACT_STALL] = {"stall", "waves wait", UNIT_PERCENT},
    [FACT_MEM_LATENCY] = {"memory_latency", "cycles an access to memory", UNIT_NONE},
    [FACT_VALU] = {"valu", "VALU, of the instructions", UNIT_PERCENT},
    [FACT_VMEM] = {"vmem", "VMEM, of the instructions", UNIT_PERCENT},
    [FACT_SALU] = {"salu", "SALU, of the instructions", UNIT_PERCENT},
    [FACT_BRANCH] = {"branch", "branches, of the instructions", UNIT_PERCENT},
    [FACT_EXPOSED] = {"exposed", "no kernel computes beside it", UNIT_PERCENT},
    [FACT_PEER] = {"peer", "longer than the fastest call of its size", UNIT_PERCENT},
    [FACT_IDLE] = {"idle", "no device at work", UNIT_PERCENT},
    [FACT_COPY_ALONE] = {"copy_alone", "nothing but copies at work", UNIT_PERCENT},
    [FACT_COMM_ALONE] = {"communication_alone", "nothing but communication at work", UNIT_PERCENT},
    [FACT_SHORT] = {"short", "dispatches under 10 us", UNIT_PERCENT},
    [FACT_PATH_COPY] = {"path_copy", "copies, of the critical path", UNIT_PERCENT},
    [FACT_PATH_LAUNCH] = {"path_launch", "launch latency, of the critical path", UNIT_PERCENT},
    [FACT_PATH_HOST] = {"path_host", "the host, of the critical path", UNIT_PERCENT},
    [FACT_SAVES_DEVICE] = {"saves_device", "twice as fast a device saves", UNIT_PERCENT},
    [FACT_SAVES_COPY] = {"saves_copy", "twice as fast copies save", UNIT_PERCENT},
    [FACT_SAVES_COMM] = {"saves_communication", "twice as fast communication saves", UNIT_PERCENT},
    [FACT_SAVES_HOST] = {"saves_host", "twice as fast a host saves", UNIT_PERCENT},
};

const char *fact_id(enum fact f)
{
    return facts[f].id;
}
const char *fact_name(enum fact f)
{
    return facts[f].name;
}
enum unit fact_unit(enum fact f)
{
    return facts[f].unit;
}
