#include "engine/value/toml.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/* Some malformed texts trip toml++'s assertions: they are refused like any other. */
[[noreturn]] static void not_toml()
{
    throw std::runtime_error("malformed");
}
#define TOML_ASSERT(condition) ((condition) ? static_cast<void>(0) : not_toml())
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace
{

struct walk {
    int (*visit)(void *, const struct toml_item *);
    void *ctx;
};

struct entry { /* so that items come in the order of the text, not of the alphabet */
    std::string table, key;
    const toml::node *node;
    bool head;
    int element;
};

void place(struct toml_item &item, const toml::node &node)
{
    item.line = static_cast<int>(node.source().begin.line);
    item.column = static_cast<int>(node.source().begin.column);
}

int emit(const walk &w, const entry &e)
{
    struct toml_item item = {};
    std::string text;
    item.table = e.table.c_str();
    item.key = e.head ? nullptr : e.key.c_str();
    item.element = e.element;
    item.type = e.head ? TOML_TABLE : TOML_OTHER;
    place(item, *e.node);
    if (e.head)
        return w.visit(w.ctx, &item);
    if (const auto *s = e.node->as_string()) {
        text = s->get();
        if (text.find('\0') == std::string::npos) {
            item.type = TOML_STRING;
            item.string = text.c_str();
        }
    } else if (const auto *i = e.node->as_integer()) {
        item.type = TOML_NUMBER;
        item.number = static_cast<double>(i->get());
    } else if (const auto *f = e.node->as_floating_point()) {
        item.type = TOML_NUMBER;
        item.number = f->get();
    } else if (const auto *b = e.node->as_boolean()) {
        item.type = TOML_BOOL;
        item.number = b->get() ? 1 : 0;
    }
    return w.visit(w.ctx, &item);
}

bool is_tables(const toml::node &node)
{
    const auto *array = node.as_array();
    return array && !array->empty() && array->is_homogeneous(toml::node_type::table);
}

/* Depth is bounded by what the parser takes. */
void add_deep(std::vector<entry> &out, const std::string &table, const std::string &key,
              const toml::node &node);

void add(std::vector<entry> &out, const std::string &table, const toml::table &t, bool deep)
{
    for (const auto &[k, node] : t) {
        std::string key{std::string_view(k)};
        if (deep)
            add_deep(out, table, key, node);
        else
            out.push_back({table, key, &node, false, -1});
    }
}

void add_deep(std::vector<entry> &out, const std::string &table, const std::string &key,
              const toml::node &node)
{
    std::string below = table.empty() ? key : table + "." + key;
    if (const auto *inner = node.as_table()) {
        out.push_back({below, "", &node, true, -1});
        add(out, below, *inner, true);
    } else if (is_tables(node)) {
        for (const auto &element : *node.as_array()) {
            out.push_back({below, "", &element, true, -1});
            add(out, below, *element.as_table(), true);
        }
    } else if (const auto *array = node.as_array()) {
        int i = 0;
        for (const auto &element : *array)
            out.push_back({table, key, &element, false, i++});
    } else {
        out.push_back({table, key, &node, false, -1});
    }
}

/* The tables of the top level are entered in any case. */
void add_root(std::vector<entry> &all, const toml::table &root)
{
    for (const auto &[k, node] : root) {
        std::string key{std::string_view(k)};
        if (const auto *table = node.as_table()) {
            all.push_back({key, "", &node, true, -1});
            add(all, key, *table, false);
        } else if (!is_tables(node)) {
            all.push_back({"", key, &node, false, -1});
        } else {
            for (const auto &element : *node.as_array()) {
                all.push_back({key, "", &element, true, -1});
                add(all, key, *element.as_table(), false);
            }
        }
    }
}

int walk_root(const walk &w, const toml::table &root, bool deep)
{
    std::vector<entry> all;
    if (deep)
        add(all, "", root, true);
    else
        add_root(all, root);
    std::stable_sort(all.begin(), all.end(), [](const entry &a, const entry &b) {
        const auto &x = a.node->source().begin, &y = b.node->source().begin;
        return x.line != y.line ? x.line < y.line : x.column < y.column;
    });
    for (const auto &e : all)
        if (int rc = emit(w, e))
            return rc;
    return 0;
}

void describe(struct toml_failure *out, int line, int column, std::string_view why)
{
    out->line = line;
    out->column = column;
    std::snprintf(out->why, sizeof out->why, "%.*s",
                  static_cast<int>(std::min<size_t>(why.size(), 190)), why.data());
    for (char *p = out->why; *p; p++)
        if (static_cast<unsigned char>(*p) < ' ')
            *p = ' ';
}

/* Where a text stands: in nothing, a comment, or a string with this quote, single or triple. */
struct scanner {
    char quote = 0; /* '"', '\'', '#', or 0 */
    bool triple = false;
};

/* Follows strings and comments over text[i]; returns how many bytes belong to what was found there.
 */
size_t step(scanner &s, std::string_view text, size_t i)
{
    char c = text[i];
    bool three = i + 2 < text.size() && text[i + 1] == c && text[i + 2] == c;
    if (!s.quote) {
        if (c == '#' || c == '"' || c == '\'')
            s = {c, c != '#' && three};
        return s.triple ? 3 : 1;
    }
    if (c == '\n' && !s.triple)
        s = {};
    else if (s.quote == '"' && c == '\\' && i + 1 < text.size() && text[i + 1] != '\n')
        return 2;
    else if (c == s.quote && c != '#' && (!s.triple || three)) {
        size_t n = s.triple ? 3 : 1;
        s = {};
        return n;
    }
    return 1;
}

/*
 * TOML allows no control characters, and only ASCII outside strings and comments. toml++ 3.3 aborts
 * or goes astray on some of these, so they are refused before it sees them.
 */
bool refuse_bytes(std::string_view text, struct toml_failure *out)
{
    int line = 1;
    size_t start = 0, next = 0; /* of the line; of the next scanner step */
    scanner s;
    for (size_t i = 0; i < text.size(); i++) {
        unsigned char c = static_cast<unsigned char>(text[i]);
        bool outside = !s.quote;
        if (i == next)
            next += step(s, text, i);
        const char *why = (c < ' ' && c != '\n' && c != '\t' && c != '\r') || c == 127
                              ? "a control character"
                          : c > 127 && outside ? "a character that is not ASCII, outside quotes"
                                               : nullptr;
        if (why) {
            describe(out, line, static_cast<int>(i - start) + 1, why);
            return true;
        }
        if (c == '\n') {
            line++;
            start = i + 1;
        }
    }
    return false;
}

} // namespace

static int walk_text(const char *text, size_t len, const walk &w, bool deep,
                     struct toml_failure *failure)
{
    *failure = {};
    if (refuse_bytes(std::string_view(text, len), failure))
        return -EINVAL;
    try {
        toml::table root = toml::parse(std::string_view(text, len));
        return walk_root(w, root, deep);
    } catch (const toml::parse_error &e) {
        describe(failure, static_cast<int>(e.source().begin.line),
                 static_cast<int>(e.source().begin.column), e.description());
        return -EINVAL;
    } catch (const std::bad_alloc &) {
        return -ENOMEM;
    } catch (const std::exception &e) {
        describe(failure, 1, 1, e.what());
        return -EINVAL;
    }
}

int toml_walk(const char *text, size_t len, int (*visit)(void *, const struct toml_item *),
              void *ctx, struct toml_failure *failure)
{
    return walk_text(text, len, {visit, ctx}, false, failure);
}

int toml_walk_deep(const char *text, size_t len, int (*visit)(void *, const struct toml_item *),
                   void *ctx, struct toml_failure *failure)
{
    return walk_text(text, len, {visit, ctx}, true, failure);
}
