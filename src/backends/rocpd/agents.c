/* Reads processors: columns of rocpd_info_agent, and the profiler's properties as JSON. */
#include <cjson/cJSON.h>
#include <string.h>

#include "backends/rocpd/rocpd_impl.h"

enum { GUID, ID, NODE, TYPE, NUMBER, NAME, GENERIC, PRODUCT, MODEL, JSON };
enum { JSON_MAX = 1 << 20, AGENTS_MAX = 16384 /* of a trace */ };

static double read_json_positive(const cJSON *json, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);
    return cJSON_IsNumber(item) && item->valuedouble > 0 ? item->valuedouble : 0;
}

static uint32_t read_json_count(const cJSON *json, const char *name)
{
    double v = read_json_positive(json, name);
    return v >= 1 && v < (double)TRACE_UNKNOWN ? (uint32_t)v : TRACE_UNKNOWN;
}

/* Sums the memory banks of the frame buffer: HSA's heap types 1 (public) and 2 (private). */
static double memory_bytes(const cJSON *json)
{
    const cJSON *bank, *banks = cJSON_GetObjectItemCaseSensitive(json, "mem_banks");
    double sum = 0;
    cJSON_ArrayForEach(bank, banks)
    {
        double heap = read_json_positive(bank, "heap_type");
        if (heap == 1 || heap == 2)
            sum += read_json_positive(bank, "size_in_bytes");
    }
    if (sum <= 0)
        sum = read_json_positive(json, "local_mem_size");
    return sum < 0x1p63 ? sum : 0;
}

static void read_agent_json(struct trace_agent *a, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    cJSON *json = n && n <= JSON_MAX ? cJSON_ParseWithLength(text, n) : NULL;
    if (a->gpu && json) {
        a->units = read_json_count(json, "cu_count");
        a->clock_mhz = read_json_count(json, "max_engine_clk_fcompute");
        a->memory_bytes = (uint64_t)memory_bytes(json);
    }
    cJSON_Delete(json);
}

static uint32_t agent_name(struct rocpd *r, const struct rocpd_select *s, int first, int second)
{
    const char *text = rocpd_text(s, first);
    if (!text || !*text)
        text = rocpd_text(s, second);
    return text && *text ? graph_intern(r->t->calls, text) : GRAPH_NONE;
}

static void agent_row(struct rocpd *r, const struct rocpd_select *s, struct rocpd_guid *g)
{
    int64_t id = rocpd_int(s, ID);
    const char *type = rocpd_text(s, TYPE), *name = rocpd_text(s, NAME);
    uint32_t number = rocpd_count(s, NUMBER), host;
    bool arch = name && strncmp(name, "gfx", 3) == 0;
    if (id == ROCM_UNKNOWN || r->t->nagents >= AGENTS_MAX)
        return;
    host = ids_get(&g->hosts, (uint64_t)rocpd_int(s, NODE));
    struct trace_agent a = {
        .name = agent_name(r, s, arch ? NAME : GENERIC, NAME),
        .model = agent_name(r, s, PRODUCT, MODEL),
        .host = host == IDS_NONE ? GRAPH_NONE : host,
        .number = number == TRACE_UNKNOWN ? (uint32_t)id : number,
        .gpu = type ? strcmp(type, "GPU") == 0 : arch,
        .units = TRACE_UNKNOWN,
        .clock_mhz = TRACE_UNKNOWN,
    };
    read_agent_json(&a, rocpd_text(s, JSON));
    ids_add(&g->agents, (uint64_t)id, trace_add_agent(r->t, &a));
}

int rocpd_read_agents(struct rocpd *r)
{
    static const struct rocpd_columns columns = {"rocpd_info_agent",
                                                 {"guid", "id", "nid", "type", "absolute_index",
                                                  "name", "generic_name", "product_name",
                                                  "model_name", "extdata"},
                                                 0};
    return rocpd_each(r, &columns, false, agent_row);
}
