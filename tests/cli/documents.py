"""documents.py SOURCES FILE...: checks documents with python3-jsonschema, a validator that is not ours.

Each file has a document, or one a line; an empty one could not be made on this machine. It must fit the schema of its kind in docs/, each kind that is named in SOURCES
must be among the files (as many may lack as files are empty), and each member of a schema must be described. Prints what is wrong; the status is 1 then."""
import json
import pathlib
import re
import sys

import jsonschema

DOCS = pathlib.Path("docs")
SNAPSHOT = "rooftop.snapshot/1"
wrong = []


def documents(path):
    text = path.read_text()
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]


def look_at_schema(part, place):
    """Every object is closed, and every member says what it is."""
    if isinstance(part, list):
        for i, item in enumerate(part):
            look_at_schema(item, f"{place}/{i}")
        return
    if not isinstance(part, dict):
        return
    members = part.get("properties", {})
    if members and part.get("additionalProperties") is not False:
        wrong.append(f"{place}: unknown members are allowed")
    for name, member in members.items():
        if not member.get("description") and name != "schema":
            wrong.append(f"{place}/{name}: no description")
    for key, value in list(members.items()) + [(k, v) for k, v in part.items() if k not in ("properties", "enum", "const")]:
        look_at_schema(value, f"{place}/{key}")


def validators():
    schema = json.loads((DOCS / "documents.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    look_at_schema(schema, "")
    found = {SNAPSHOT: jsonschema.Draft202012Validator(json.loads((DOCS / "snapshot.schema.json").read_text()))}
    for one in schema["anyOf"]:
        members = schema["$defs"][one["$ref"].rsplit("/", 1)[1]]["properties"]
        kind = members.get("schema", members.get("format"))["const"]
        found[kind] = jsonschema.Draft202012Validator({**one, "$defs": schema["$defs"]})
    return found


def main(sources, *paths):
    kinds, seen, empty = validators(), set(), 0
    for path in map(pathlib.Path, paths):
        try:
            list_of = documents(path)
            empty += not list_of
        except ValueError as error:
            wrong.append(f"{path}: {error}")
            continue
        for document in list_of:
            kind = document.get("schema", document.get("format"))
            seen.add(kind)
            if kind not in kinds:
                wrong.append(f"{path}: no schema for {kind}")
                continue
            for error in kinds[kind].iter_errors(document):
                error = jsonschema.exceptions.best_match([error])
                wrong.append(f"{path}: {kind}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
    named = set()
    for source in pathlib.Path(sources).rglob("*.[ch]"):
        named |= set(re.findall(r"\brooftop[.-][a-z][a-z_.-]*/[0-9]+", source.read_text()))
    lacking = [f"{kind}: the source names it, and no document here is one" for kind in sorted(named - seen)]
    if len(lacking) > empty:
        wrong.extend(lacking)
    wrong.extend(f"{kind}: it has a schema, and the source does not name it" for kind in sorted(kinds.keys() - named))
    print("\n".join(wrong) or "\n".join([*lacking, f"{len(paths)} files, {len(kinds)} kinds"]))
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
