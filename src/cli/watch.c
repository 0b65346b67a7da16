/* rooftop without a command word: the dashboard, or the same headless. */
#include <errno.h>
#include <unistd.h>

#include "cli/fleet/fleet.h"
#include "cli/options/command.h"
#include "cli/run/dashboard.h"

static int watch_run(struct options *o)
{
    const bool headless = o->headless || !isatty(STDOUT_FILENO);
    if (o->capture && headless) {
        struct error err = ERROR_INIT;
        error_set(&err, ERROR_USAGE, EINVAL, "rooftop gpu capture --kernel REGEX -- COMMAND...",
                  "--capture", "it is for the dashboard");
        return exit_report(&err);
    }
    if (o->otlp.url && (o->noperands || o->repeat > 1)) {
        struct error err = ERROR_INIT;
        if (o->noperands)
            error_set(&err, ERROR_USAGE, EINVAL, "rooftop export --otlp URL FILE", "--otlp",
                      "here it sends what programs do while they run");
        else
            error_set(&err, ERROR_USAGE, EINVAL, "run it once", "--otlp",
                      "its spans are those of one run: it excludes --repeat");
        return exit_report(&err);
    }
    if (fleet_asked(o))
        return fleet_watch(o);
    return headless ? headless_run(o) : fleet_offer(o);
}

/* The pages of nouns, which make install asks for; a test holds them to the commands. */
#define MAN_PAGES                                                                                  \
    "|man-record|man-job|man-compare|man-report|man-gpu|man-trace|man-check|man-export|man-"       \
    "optimize|man-"                                                                                \
    "lab|man-doctor|man-help"

static const struct command_option options[] = {
    TAKES_LIVE,
    TAKES(USDT),
    TAKES(FOR),
    TAKES(BY),
    OWN(.section = "What to watch", .name = "stack", AT(stack), .type = OPTION_FLAG,
        .help = "system calls with the stack of each (the view of system calls, key Y)"),
    OWN(.section = "What to watch", .name = "capture", AT(capture), .type = OPTION_FLAG,
        .help = "load the capture library into the command, so that kernels can be captured from "
                "their rows"),
    OWN(.section = "Many hosts", .name = "host", AT(fleet.hosts), .type = OPTION_LIST,
        .arg = "HOST[,HOST...]",
        .help =
            "watch these hosts at once, through your own ssh, as node[01-16],user@other; slurm: "
            "the nodes of this Slurm allocation, through srun"),
    OWN(.section = "Many hosts", .name = "hostfile", AT(fleet.file), .type = OPTION_STRING,
        .arg = "FILE",
        .help = "watch the hosts of a file: a name or a range in each line, # begins "
                "a comment"),
    OWN(.section = "Many hosts", .name = "host-rooftop", AT(fleet.rooftop), .type = OPTION_STRING,
        .arg = "PATH", .help = "how rooftop is called there; rooftop unless given"),
    OWN(.section = "Many hosts", .name = "scrape", AT(fleet.scrape), .type = OPTION_LIST,
        .arg = "URL",
        .help = "read this exporter of metrics (node_exporter, dcgm-exporter, AMD "
                "device-metrics-exporter); may be given several times, as NAME=URL, too"),
    OWN(.section = "Many hosts", .name = "match", AT(fleet.match), .type = OPTION_STRING,
        .arg = "SELECTOR",
        .help = "of prom:http://SERVER: only series that fit, as in {job=\"node\"}"),
    OWN(.section = "Many hosts", .name = "host-label", AT(fleet.host_label), .type = OPTION_STRING,
        .arg = "LABEL",
        .help = "of prom: the label that names the host; instance, without its port, unless given"),
    OWN(.section = "Many hosts", .name = "past", AT(fleet.past), .type = OPTION_STRING,
        .arg = "TIME", .help = "of prom: also the past, as in 30m, 2h, 7d, at 300 moments"),
    OWN(.section = "Many hosts", .name = "prom-auth", AT(fleet.auth), .type = OPTION_STRING,
        .arg = "FILE",
        .help = "of prom and --scrape: a file with \"bearer TOKEN\" or \"basic USER:PASSWORD\"; "
                "what ROOFTOP_PROM_AUTH says unless given"),
    OWN(.section = "Many hosts", .name = "exporters", AT(fleet.exporters), .type = OPTION_STRING,
        .arg = "FILE", .help = "of prom and --scrape: more names of metrics and what they mean"),
    OWN(.section = "Many hosts", .name = "max-answer", AT(fleet.max_answer), .type = OPTION_STRING,
        .arg = "SIZE", .help = "of prom and --scrape: refuse larger answers; 64M unless given"),
    TAKES(HEADLESS),
    TAKES_AS(FORMAT, .choices = "text|json|jsonl|csv|openmetrics|ansi|svg|folded|speedscope|pprof",
             .help = "what to print, headless: text, ansi and svg are the screen; json, jsonl, csv "
                     "and openmetrics the numbers; folded, speedscope and pprof the sampled call "
                     "stacks, for "
                     "those tools; "
                     "text unless given"),
    TAKES(BRIEF),
    TAKES(FRAMES),
    OWN(.section = "What is printed", .name = "repeat", AT(repeat), .letter = 'r',
        .type = OPTION_INT, .arg = "N", .min = 1, .max = 1000, .fallback = "1",
        .help = "run the command this many times, headless: the summary has means and spreads, "
                "which make the answer of rooftop compare reliable"),
    OWN(.section = "What is printed", .name = "only", AT(only), .type = OPTION_CHOICE,
        .arg = "WHAT", .choices = "all|target|host", .fallback = "all",
        .help =
            "headless: target prints nothing of other processes than those watched; host (JSON) "
            "only what the machine does as a whole"),
    TAKES(SIZE),
    TAKES_AS(OUTPUT, .help = "write there, headless: a document replaces the file when complete, "
                             "openmetrics with each sample; jsonl and csv append"),
    TAKES_OPENED,
    TAKES(ROOFS),
    TAKES(VIEW),
    TAKES(FILTER),
    TAKES(RUN),
    TAKES(THEME),
    TAKES(COLOR),
    TAKES_DRAWN,
    TAKES(NO_MOUSE),
    TAKES(CAPTURES),
    TAKES_OTLP,
    TAKES(READONLY),
    OWN(.section = "General", .name = "print-config", AT(print_config), .type = OPTION_FLAG,
        .help = "print the configuration in force, as a file that could be read again; with -o, to "
                "that file"),
    OWN(.section = "General", .name = "generate", AT(generate), .type = OPTION_CHOICE,
        .arg = "WHAT", .choices = "man|bash|zsh|fish|metrics|config-schema" MAN_PAGES,
        .help = "print the manual page, completions of a shell, the table of metrics, the schema "
                "of the configuration, or the page about a noun"),
    TAKES_GENERAL,
};

const struct command command_watch = {
    .name = "",
    .summary = "watch this machine, a command, processes or a cgroup",
    .usage = "rooftop [OPTION...] [FILE | -- COMMAND...]",
    .run = watch_run,
    .files = true,
    .starts = true,
    .options = options,
    .examples = EXAMPLES(
        {"rooftop", "watch this machine"},
        {"rooftop -- ./solver --size 4096", "start a program and watch it"},
        {"rooftop -p 1234 -e '{LLC-loads,LLC-load-misses}'", "count two events of a process"},
        {"rooftop results.db", "open a profile"},
        {"rooftop --host 'node[1-8],user@other'", "watch many hosts through ssh"},
        {"rooftop --headless --format json -d 2", "print one document, of two seconds"},
        {"rooftop --format jsonl --frames 60 -o load.jsonl", "write a minute, one object a second"},
        {"rooftop --format openmetrics -o rooftop.prom",
         "write a sample for the textfile folder of node_exporter"},
        {"rooftop --format json -o run.json -- make test", "write the totals of a whole run"}),
    .exits = EXITS({.code = EXIT_TARGET}, {.code = EXIT_PERMISSION}, {.code = EXIT_UNSUPPORTED},
                   {.code = EXIT_TERMINAL}),
};
