"""Judges a document of OpenMetrics by two readers that are not ours: openmetrics.py FILE.prom FILE.json
(the same snapshot as JSON). Each family's HELP says which member of the JSON it is: its values must be equal."""
import json
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families
from prometheus_client.parser import text_string_to_metric_families as old_families

PER = {"%": 100.0, "1/kinst": 1000.0}  # what one base unit has of ours
KEYS = {"cpu": "id", "device": "name", "pid": "pid", "set": "set", "event": "name", "id": "id"}
text = open(sys.argv[1], encoding="utf-8").read()
doc = json.load(open(sys.argv[2], encoding="utf-8"))
bad = []


def rows(path):
    """The objects at a path like gpus.devices[].now, each with those above it."""
    found = [(doc,)]
    for part in [p for p in path.split(".") if p]:
        name = part.removesuffix("[]")
        found = [f + (x,) for f in found for x in (f[-1][name] if part.endswith("[]") else [f[-1][name]])]
    return found


def fits(objects, labels):
    gpu = labels.get("gpu")
    if gpu is not None and gpu not in [o.get("id") for o in objects]:
        index = objects[-1].get("gpu")
        if index is None or doc["gpus"]["devices"][index]["id"] != gpu:
            return False
    own = objects[-1]
    return all(str(own.get(KEYS[k])) == v for k, v in labels.items() if k in KEYS and KEYS[k] in own)


def number_of(value):
    if isinstance(value, dict):
        return value["value"] / PER.get(value["unit"], 1.0) if value["valid"] else None
    return value


families = list(text_string_to_metric_families(text))
samples = [s for f in families for s in f.samples]
old = [s for f in old_families(text) for s in f.samples]
if sorted((s.name, sorted(s.labels.items()), s.value) for s in samples) != sorted((s.name, sorted(s.labels.items()), s.value) for s in old):
    bad.append("the two formats have different samples")
compared = 0
for family in families:
    if not family.name.endswith(family.unit):
        bad.append(f"{family.name}: the name does not end with {family.unit}")
    path = family.documentation.removesuffix(" of the document rooftop.snapshot/1")
    above, _, member = path.rpartition(".")
    for s in family.samples:
        if member in ("info", "time", "running") or (member == "cpus" and above == "host"):
            continue
        fitting = [o for o in rows(above) if fits(o, s.labels)]
        values = [number_of(o[-1].get(member)) for o in fitting]
        if s.value not in values:
            bad.append(f"{s.name}{s.labels} {s.value}: {path} has {values}")
        compared += 1
print(compared, "values are equal" if not bad else "\n".join(bad))
sys.exit(bool(bad) or not compared)
