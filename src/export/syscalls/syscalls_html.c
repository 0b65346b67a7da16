/* HTML: a self-contained page with the sums and all calls; a click on a heading sorts. */
#include <stdlib.h>

#include "base/print.h"
#include "engine/syscalls/calls.h"
#include "export/syscalls/syscalls_origin.h"

/* The page's style and script; a cell with `data-v` is sorted by that, not by its text. */
static const char style[] =
    "<style>body{font:14px sans-serif;margin:1em}table{border-collapse:collapse;margin:1em 0}"
    "th,td{padding:2px 8px;border-bottom:1px solid #ccc;text-align:left;vertical-align:top}"
    "th{cursor:pointer;position:sticky;top:0;background:#eee}td.n{text-align:right;white-space:"
    "nowrap}"
    "td.e{color:#b00}td.a{font-family:monospace;word-break:break-all}"
    "@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}th{background:#222}}"
    "</style>\n";
static const char script[] =
    "<script>\n"
    "for(const h of document.querySelectorAll('th'))h.onclick=()=>{\n"
    " const "
    "t=h.closest('table').tBodies[0],i=h.cellIndex,d=h.dataset.d=h.dataset.d==='1'?'-1':'1';\n"
    " const v=r=>{const c=r.cells[i],s=c.dataset.v??c.textContent,n=Number(s);"
    "return s!==''&&!isNaN(n)?n:s};\n"
    " const rows=[...t.rows].map(r=>[v(r),r]);\n"
    " rows.sort((a,b)=>d*(typeof a[0]===typeof b[0]?(a[0]<b[0]?-1:a[0]>b[0]?1:0)"
    ":typeof a[0]==='number'?-1:1));\n"
    " t.append(...rows.map(r=>r[1]))};\n"
    "document.getElementById('find')?.addEventListener('input',e=>{\n"
    " for(const r of document.getElementById('calls').tBodies[0].rows)"
    "r.hidden=!r.textContent.includes(e.target.value)});\n"
    "</script>\n";

static void write_html_head(struct syscalls_export *x)
{
    const char *command = x->options.command ? x->options.command : "";
    print_xml(x->out,
              "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
              "<title>System calls of %s</title>\n",
              command);
    fputs(style, x->out); /* raw: our own */
    print_xml(x->out, "</head><body>\n<h1>System calls of %s</h1>\n", command);
}

static bool has_origin(const struct syscalls_export *x)
{
    return x->options.stacks || x->options.source;
}

static void begin(struct syscalls_export *x)
{
    write_html_head(x);
    fputs("<p>Find: <input id=\"find\"></p>\n<table "
          "id=\"calls\"><thead><tr><th>ms</th><th>thread</th>"
          "<th>call</th><th>arguments</th><th>result</th><th>us</th>",
          x->out);
    fputs(has_origin(x) ? "<th>from</th></tr></thead><tbody>\n" : "</tr></thead><tbody>\n", x->out);
}

/* Writes the origin of a call, whose stack can be unfolded. */
static void write_html_origin(struct syscalls_export *x, const struct syscall_stack *stack)
{
    char from[512];
    syscalls_origin(stack, from, sizeof from);
    if (!x->options.stacks || !stack) {
        print_xml(x->out, "<td class=\"a\">%s</td>", from);
        return;
    }
    print_xml(x->out, "<td class=\"a\"><details><summary>%s</summary>", from);
    for (uint32_t i = 0; i < stack->n; i++) {
        const struct syscall_frame *f = stack->frames[i];
        print_xml(x->out, "%s (%s)", syscall_frame_name(f, from, sizeof from),
                  syscall_frame_module(f));
        if (f->line > 0)
            print_xml(x->out, " %s:%d", f->file, f->line);
        fputs("<br>", x->out);
    }
    fputs(stack->cut ? "...</details></td>" : "</details></td>", x->out);
}

static void event(struct syscalls_export *x, const struct syscall_event *e)
{
    if (e->kind != SYSCALL_CALL)
        return;
    char *args = syscalls_args_text(e);
    const char *error = syscall_failed(e) ? syscall_errno_name((int)-e->result) : NULL;
    fprintf(x->out, "<tr><td class=\"n\">%.3f</td><td class=\"n\">%d</td>",
            (double)(e->begin_ns - x->first_ns) / 1e6, (int)e->tid);
    print_xml(x->out, "<td>%s</td><td class=\"a\">%s</td>", syscall_name(e->abi, e->number), args);
    if (error)
        print_xml(x->out, "<td class=\"e\">%lld %s</td>", (long long)e->result, error);
    else if (e->flags & (SYSCALL_UNFINISHED | SYSCALL_NO_RESULT))
        fputs("<td>?</td>", x->out);
    else
        fprintf(x->out, "<td class=\"n\">%lld</td>", (long long)e->result);
    fprintf(x->out, "<td class=\"n\">%.3f</td>", (double)(e->end_ns - e->begin_ns) / 1e3);
    if (has_origin(x))
        write_html_origin(x, e->stack);
    fputs("</tr>\n", x->out);
    free(args);
}

static void write_html_calls(struct syscalls_export *x)
{
    const struct syscall_sum **list = syscalls_sorted(&x->sums);
    char name[64];
    fputs("<table><thead><tr><th>call</th><th>calls</th><th>errors</th><th>seconds</th>"
          "<th>share %</th><th>mean us</th><th>p50 us</th><th>p99 us</th><th>max us</th>"
          "<th>bytes</th></tr></thead><tbody>\n",
          x->out);
    for (size_t i = 0; list[i]; i++) {
        const struct syscall_sum *s = list[i];
        print_xml(x->out, "<tr><td>%s</td>", syscalls_name(s->abi, s->number, name, sizeof name));
        fprintf(
            x->out,
            "<td class=\"n\">%llu</td><td class=\"n\">%llu</td><td class=\"n\">%.6f</td>"
            "<td class=\"n\">%.2f</td><td class=\"n\">%.3f</td><td class=\"n\">%.3f</td>"
            "<td class=\"n\">%.3f</td><td class=\"n\">%.3f</td><td class=\"n\">%llu</td></tr>\n",
            (unsigned long long)s->calls, (unsigned long long)s->errors, (double)s->total_ns / 1e9,
            100 * syscall_sums_share(&x->sums, s), syscalls_mean(s) * 1e6,
            syscall_sum_quantile(s, 0.5) / 1e3, syscall_sum_quantile(s, 0.99) / 1e3,
            (double)s->max_ns / 1e3, (unsigned long long)s->bytes);
    }
    fputs("</tbody></table>\n", x->out);
    free(list);
}

static void finish_html_page(struct syscalls_export *x, const struct syscalls_export_end *end)
{
    const struct tracer_result *r = end->result;
    write_html_calls(x);
    fprintf(x->out,
            "<p>%llu calls, %llu of them failed, %llu did not return; %llu were lost.</p>\n",
            (unsigned long long)x->sums.calls + x->unfinished, (unsigned long long)x->sums.errors,
            (unsigned long long)x->unfinished, (unsigned long long)r->lost);
    for (size_t i = 0; i < TRACER_NOTES && r->notes[i][0]; i++)
        print_xml(x->out, "<p>%s</p>\n", r->notes[i]);
    fputs(script, x->out); /* raw: our own */
    fputs("</body></html>\n", x->out);
}

static void end(struct syscalls_export *x, const struct syscalls_export_end *end)
{
    fputs("</tbody></table>\n", x->out);
    finish_html_page(x, end);
}

static void counts(struct syscalls_export *x, const struct syscalls_export_end *end)
{
    write_html_head(x);
    finish_html_page(x, end);
}

const struct syscall_format syscall_format_html = {
    .name = "html", .begin = begin, .event = event, .end = end, .counts = counts};
