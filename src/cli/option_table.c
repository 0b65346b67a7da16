#include "cli/options.h"

#define AT(member) offsetof(struct options, member)
#define CONFIG     true
#define NO_CONFIG  false

/*
 * One row an option: section, name, letter, type, argument, choices, min, max, default, commands,
 * config key?, help, member. "-" is the dashboard and its headless form, "*" every command.
 */
const struct option_def option_table[] = {
    {"What to watch", "pid", 'p', OPTION_STRING, "PID[,PID...]", NULL, 0, 0, NULL,
     "- record tree path bricks usdt", NO_CONFIG,
     "watch these processes (64 at most) with all their threads", AT(pids)},
    {NULL, "cgroup", 0, OPTION_STRING, "PATH", NULL, 0, 0, NULL, "- record", NO_CONFIG,
     "watch a cgroup v2 directory, absolute or below /sys/fs/cgroup", AT(cgroup)},
    {NULL, "cpu", 'C', OPTION_STRING, "LIST", NULL, 0, 0, NULL, "- record", NO_CONFIG,
     "watch only these CPUs, as in 0-3,8", AT(cpulist)},
    {NULL, "event", 'e', OPTION_STRING, "LIST", NULL, 0, 0, NULL, "- record", CONFIG,
     "count these events too: generic or libpfm4 names, raw codes (r1c2), cpu/event=0x44/, "
     "tracepoints (sched:sched_switch); {a,b} counts a and b together",
     AT(events)},
    {NULL, "metrics", 0, OPTION_STRING, "FILE", NULL, 0, 0, NULL, "- record", CONFIG,
     "events and metrics of your own, in TOML", AT(metrics)},
    {NULL, "interval", 'd', OPTION_SECONDS, "SECONDS", NULL, 0.05, 3600, "1", "- record", CONFIG,
     "time between two samples; 500ms and 2s are understood too", AT(interval_s)},
    {NULL, "functions", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "- record", CONFIG,
     "sample call stacks from the start: hot functions", AT(functions)},
    {NULL, "sample-rate", 0, OPTION_INT, "HZ", NULL, 1, 20000, "997", "- record", CONFIG,
     "samples a second on each busy CPU", AT(sample_rate)},
    {NULL, "call-graph", 0, OPTION_CHOICE, "HOW", "fp|dwarf|none", 0, 0, "fp", "- record", CONFIG,
     "how callers are found: by frame pointers, by DWARF (programs built without them; 8 KB a "
     "sample), not at all",
     AT(call_graph)},

    {"Headless", "headless", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "-", NO_CONFIG,
     "print snapshots instead of opening the dashboard", AT(headless)},
    {NULL, "format", 0, OPTION_CHOICE, "FORMAT", "text|json|jsonl|csv|ansi|svg|folded|dot|chrome",
     0, 0, NULL, "- compare doctor tree path bricks kernels report att usdt", NO_CONFIG,
     "what to print, headless: text, ansi and svg are the screen; json, jsonl and csv the "
     "numbers; folded the sampled call stacks, for flame graph tools; text unless given (doctor, "
     "usdt: "
     "text or json; tree: dot and chrome too)",
     AT(format)},
    {NULL, "frames", 0, OPTION_INT, "N", NULL, 1, 1000000000, NULL, "- record", NO_CONFIG,
     "how many snapshots, headless; 1 unless a command is watched, then until it ends", AT(frames)},
    {NULL, "size", 0, OPTION_SIZE, "WxH", NULL, 1, 1000, NULL, "- compare", CONFIG,
     "columns and rows of the picture; else those of the terminal, or 120x40", AT(size_cols)},
    {NULL, "output", 'o', OPTION_STRING, "FILE", NULL, 0, 0, NULL,
     "- record compare doctor tree path bricks kernels report att usdt", NO_CONFIG,
     "write there, headless: a document replaces the file when complete, jsonl and csv append",
     AT(output)},

    {"Sessions", "max-size", 0, OPTION_STRING, "SIZE", NULL, 0, 0, NULL, "record", CONFIG,
     "forget the oldest samples when the session file would grow beyond this: 64M, 2G",
     AT(max_size)},
    {NULL, "replace", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "record", NO_CONFIG,
     "replace a session file that is already there", AT(replace)},

    {"Bricks", "calls", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "tree", NO_CONFIG,
     "every call that is still known by itself, instead of sums of all calls", AT(calls)},
    {NULL, "ranges", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "- record tree path bricks", CONFIG,
     "NVTX and rocTX ranges of the command become scopes of its tree", AT(ranges)},
    {NULL, "usdt", 0, OPTION_STRING, "PROBES", NULL, 0, 0, NULL, "- tree path bricks", NO_CONFIG,
     "bricks from the USDT probes of a command or process: PROVIDER:NAME with wildcards, for "
     "NAME__start and NAME__done and the like, or PROVIDER:BEGIN..END; separated by commas",
     AT(usdt)},
    {NULL, "budgets", 0, OPTION_STRING, "FILE", NULL, 0, 0, NULL, "tree bricks", NO_CONFIG,
     "times that bricks and kernels should not exceed, in TOML: [budget] RmsNorm = \"5us\"",
     AT(budgets)},

    {"Kernels", "group", 0, OPTION_CHOICE, "HOW", "name|base|shape", 0, 0, "name",
     "kernels compare", NO_CONFIG,
     "what is one row: a name, a name without its template arguments and parameters, or a name "
     "with its launch shape",
     AT(group)},
    {NULL, "sort", 0, OPTION_CHOICE, "COLUMN",
     "time|calls|mean|min|max|sd|criticality|occupancy|vgprs|lds|label|name", 0, 0, "time",
     "kernels", NO_CONFIG, "the column that kernels are sorted by, most first", AT(sort)},
    {NULL, "att", 0, OPTION_STRING, "FOLDER", NULL, 0, 0, NULL, "kernels report", NO_CONFIG,
     "thread traces of rocprofv3 --att of the same program: waits and instructions of their "
     "kernels",
     AT(att)},

    {"Display", "view", 0, OPTION_CHOICE, "VIEW", NULL, 0, 0, NULL, "-", CONFIG,
     "the view to show first", AT(view)},
    {NULL, "filter", 0, OPTION_STRING, "QUERY", NULL, 0, 0, NULL, "- kernels", CONFIG,
     "show only rows that match: words, or as in cpu>5 and name~ssh", AT(filter)},
    {NULL, "run", 0, OPTION_STRING, "COMMANDS", NULL, 0, 0, NULL, "-", CONFIG,
     "commands at the start, as typed after a colon in the dashboard; separated by semicolons",
     AT(run)},
    {NULL, "theme", 0, OPTION_STRING, "NAME", NULL, 0, 0, "rooftop-dark", "- compare", CONFIG,
     "colours: a built-in theme, one in the theme directories, or a file", AT(theme)},
    {NULL, "color", 0, OPTION_CHOICE, "WHEN", "auto|none|8|16|256|true", 0, 0, "auto",
     "- compare doctor", CONFIG, "colour depth; auto asks TERM, COLORTERM and NO_COLOR", AT(color)},
    {NULL, "ascii", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL,
     "- compare doctor tree path bricks kernels report att", CONFIG,
     "draw with ASCII characters only", AT(ascii)},
    {NULL, "utf8", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL,
     "- compare doctor tree path bricks kernels report att", CONFIG,
     "draw with UTF-8 whatever the locale says", AT(utf8)},
    {NULL, "no-mouse", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "-", CONFIG,
     "leave the mouse to the terminal", AT(no_mouse)},

    {NULL, "readonly", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "-", CONFIG,
     "for shared machines: from the screen nothing is written, attached to or started",
     AT(readonly)},

    {"General", "config", 0, OPTION_STRING, "FILE", NULL, 0, 0, NULL, "*", NO_CONFIG,
     "read this configuration instead of the usual one", AT(config)},
    {NULL, "no-config", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "*", NO_CONFIG,
     "read no configuration file", AT(no_config)},
    {NULL, "print-config", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, "-", NO_CONFIG,
     "print the configuration in force, as a file that could be read again", AT(print_config)},
    {NULL, "help", 'h', OPTION_FLAG, NULL, NULL, 0, 0, NULL, "*", NO_CONFIG, "print this help",
     AT(help)},
    {NULL, "version", 'V', OPTION_FLAG, NULL, NULL, 0, 0, NULL, "*", NO_CONFIG, "print the version",
     AT(version)},
    {NULL, "generate", 0, OPTION_CHOICE, "WHAT", "man|bash|zsh|fish|metrics|config-schema", 0, 0,
     NULL, "-", NO_CONFIG,
     "print the manual page, completions of a shell, the table of metrics, or the schema of the "
     "configuration",
     AT(generate)},
    {0},
};
