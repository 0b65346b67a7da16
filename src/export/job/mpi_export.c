#include "export/job/mpi_export.h"

#include <inttypes.h>
#include <math.h>

#include "base/plural.h"
#include "base/print.h"
#include "engine/value/document.h"
#include "engine/value/value.h"

enum { LINE = 240 };

/* Sums over the ranks. */
struct mpi_sums {
    uint64_t waited, by[MPI_WHYS], unsent, ungotten;
};

static struct mpi_sums add_up_ranks(const struct mpi_job *m)
{
    struct mpi_sums s = {0};
    for (uint32_t i = 0; i < m->nranks; i++) {
        s.waited += m->ranks[i].waited;
        s.unsent += m->ranks[i].unsent;
        s.ungotten += m->ranks[i].ungotten;
        for (int k = 0; k < MPI_WHYS; k++)
            s.by[k] += m->ranks[i].by[k];
    }
    return s;
}

void mpi_export_say(const struct job *j, char *out, size_t size, bool ascii)
{
    const struct mpi_job *m = j->mpi;
    const struct mpi_sums s = add_up_ranks(m);
    const double all = s.waited ? (double)s.waited / 100 : 1;
    const size_t messages = m->nmessages - m->epochs;
    char waited[VALUE_TEXT_MAX];
    const size_t n =
        print_line(out, size,
                   "MPI: %zu %s and %zu %s matched; all ranks waited %s: %.1f %% for late senders, "
                   "%.1f %% for late receivers, %.1f %% at collectives",
                   messages, plural(messages, "message", "messages"), m->ntogether,
                   plural(m->ntogether, "collective", "collectives"),
                   value_time((double)s.waited, ascii, waited), (double)s.by[MPI_LATE_SENDER] / all,
                   (double)s.by[MPI_LATE_RECEIVER] / all, (double)s.by[MPI_LATE_COLLECTIVE] / all);
    if (m->epochs)
        print_line(out + n, size - n, ", %.1f %% at windows", (double)s.by[MPI_LATE_WINDOW] / all);
}

static const char *find_host_of_clock(const struct job *j, uint32_t clock)
{
    for (uint32_t i = 0; i < j->mpi->nranks; i++)
        if (j->mpi->ranks[i].clock == clock)
            return j->ranks[j->mpi->ranks[i].id].host;
    return "";
}

static void print_mpi_clock(FILE *out, const struct job *j, uint32_t i, bool ascii)
{
    const struct mpi_clock *c = &j->mpi->clocks[i];
    char ahead[VALUE_TEXT_MAX], error[VALUE_TEXT_MAX];
    print_text(out, "  clock of %s: %s %s that of %s", find_host_of_clock(j, i),
               value_time(fabs((double)c->offset), ascii, ahead),
               c->offset < 0 ? "ahead of" : "behind", find_host_of_clock(j, 0));
    if (c->told)
        print_text(out, ", drift %.3f ppm, error at most %s (%" PRIu32 " bounds)\n", c->slope * 1e6,
                   value_time((double)c->error_ns, ascii, error), c->bounds);
    else
        print_text(out, " by the time of day: no messages went both ways, so the error is not "
                        "known\n");
}

static void print_mpi_shifts(FILE *out, const struct job *j, uint32_t i, bool ascii)
{
    const struct mpi_clock *c = &j->mpi->clocks[i];
    char most[VALUE_TEXT_MAX];
    if (c->nshifts)
        print_text(out,
                   "  times of %s: moved forward at %" PRIu32 " %s, by %s at most: no even clocks "
                   "were found that leave all effects after their causes\n",
                   find_host_of_clock(j, i), c->nshifts, plural(c->nshifts, "place", "places"),
                   value_time((double)c->shifted_ns, ascii, most));
}

void mpi_export_text(FILE *out, const struct job *j, bool ascii)
{
    char line[LINE];
    if (!j->mpi)
        return;
    const struct mpi_job *m = j->mpi;
    const struct mpi_sums s = add_up_ranks(m);
    mpi_export_say(j, line, sizeof line, ascii);
    print_text(out, "%s\n", line);
    if (s.unsent + s.ungotten + m->unmatched)
        print_text(out,
                   "  without a partner in these files: %" PRIu64 " sends, %" PRIu64
                   " receives, %" PRIu64 " calls of collectives\n",
                   s.unsent, s.ungotten, m->unmatched);
    for (uint32_t i = 1; i < m->nclocks; i++)
        print_mpi_clock(out, j, i, ascii);
    for (uint32_t i = 0; i < m->nclocks; i++)
        print_mpi_shifts(out, j, i, ascii);
    if (m->backwards)
        print_text(out,
                   "  %" PRIu64 " messages and collectives end before their cause all the same: "
                   "records contradict each other, or a clock jumped\n",
                   m->backwards);
}

static cJSON *json_mpi_clock(const struct job *j, uint32_t i)
{
    const struct mpi_clock *c = &j->mpi->clocks[i];
    cJSON *o = cJSON_CreateObject();
    json_add_text(o, "host", find_host_of_clock(j, i));
    json_add_number(o, "offset_ns", (double)c->offset);
    json_add_number(o, "drift_ppm", c->told ? c->slope * 1e6 : NAN);
    json_add_number(o, "error_ns", c->told ? (double)c->error_ns : NAN);
    json_add_u64(o, "bounds", c->bounds);
    json_add_u64(o, "shifts", c->nshifts);
    json_add_u64(o, "shifted_ns", c->shifted_ns);
    return o;
}

void mpi_export_json(cJSON *doc, const struct job *j)
{
    if (!j->mpi)
        return;
    const struct mpi_job *m = j->mpi;
    const struct mpi_sums s = add_up_ranks(m);
    cJSON *o = cJSON_AddObjectToObject(doc, "mpi");
    json_add_u64(o, "messages", m->nmessages - m->epochs);
    json_add_u64(o, "collectives", m->ntogether);
    json_add_u64(o, "late_sender_ns", s.by[MPI_LATE_SENDER]);
    json_add_u64(o, "late_receiver_ns", s.by[MPI_LATE_RECEIVER]);
    json_add_u64(o, "late_collective_ns", s.by[MPI_LATE_COLLECTIVE]);
    json_add_u64(o, "late_window_ns", s.by[MPI_LATE_WINDOW]);
    json_add_u64(o, "sends_alone", s.unsent);
    json_add_u64(o, "receives_alone", s.ungotten);
    json_add_u64(o, "collective_calls_alone", m->unmatched);
    json_add_u64(o, "backwards", m->backwards);
    cJSON *clocks = cJSON_AddArrayToObject(o, "clocks");
    for (uint32_t i = 0; i < m->nclocks; i++)
        cJSON_AddItemToArray(clocks, json_mpi_clock(j, i));
}
