#include "tui/theme_keys.h"

#include <stddef.h>

const struct theme_key theme_keys[] = {
    {"main_bg", "#000000"},        {"main_fg", "#cccccc"},
    {"title", "#eeeeee"},          {"hi_fg", "#b54040"},
    {"selected_bg", "#6a2f2f"},    {"selected_fg", "#eeeeee"},
    {"inactive_fg", "#404040"},    {"graph_text", "inactive_fg"},
    {"meter_bg", "inactive_fg"},   {"proc_misc", "#0de756"},
    {"cpu_box", "#556d59"},        {"mem_box", "#6c6c4b"},
    {"net_box", "#5c588d"},        {"proc_box", "#805252"},
    {"div_line", "#303030"},       {"temp_start", "#4897d4"},
    {"temp_mid", "#5474e8"},       {"temp_end", "#ff40b6"},
    {"cpu_start", "#77ca9b"},      {"cpu_mid", "#cbc06c"},
    {"cpu_end", "#dc4c4c"},        {"free_start", "#384f21"},
    {"free_mid", "#b5e685"},       {"free_end", "#dcff85"},
    {"cached_start", "#163350"},   {"cached_mid", "#74e6fc"},
    {"cached_end", "#26c5ff"},     {"available_start", "#4e3f0e"},
    {"available_mid", "#ffd77a"},  {"available_end", "#ffb814"},
    {"used_start", "#592b26"},     {"used_mid", "#d9626d"},
    {"used_end", "#ff4769"},       {"download_start", "#291f75"},
    {"download_mid", "#4f43a3"},   {"download_end", "#b0a9de"},
    {"upload_start", "#620665"},   {"upload_mid", "#7d4180"},
    {"upload_end", "#dcafde"},     {"process_start", "cpu_start"},
    {"process_mid", "cpu_mid"},    {"process_end", "cpu_end"},
    {"proc_pause_bg", "#b54040"},  {"proc_follow_bg", "#4040b5"},
    {"proc_banner_bg", "#7b407b"}, {"proc_banner_fg", "#eeeeee"},
    {"followed_bg", "#4040b5"},    {"followed_fg", "#eeeeee"},
    {"rooftop_ok", "cpu_start"},   {"rooftop_warn", "cpu_mid"},
    {"rooftop_crit", "cpu_end"},   {NULL, NULL},
};
