"""Judges what compare wrote by a reader that is not ours: openmetrics_compare.py FILE.prom FILE.csv (the same
comparison). Each mean that CSV has must be a sample, and no other."""
import csv
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families

PER = {"%": 100.0, "1/kinst": 1000.0}  # what one base unit has of ours
SIDES = {"before": "a", "after": "b"}
families = text_string_to_metric_families(open(sys.argv[1], encoding="utf-8").read())
got = {}
for family in families:
    side = SIDES.get(family.name.split("_")[2])
    for s in family.samples if side else []:
        got[side, s.labels["group"], s.labels["number"]] = s.value
want = {}
for row in csv.DictReader(open(sys.argv[2], encoding="utf-8", newline="")):
    for side in "ab":
        if int(row["runs_" + side]):
            want[side, row["group"], row["id"]] = float(row["mean_" + side]) / PER.get(row["unit"], 1.0)
bad = [f"{k}: {got.get(k)}, not {want.get(k)}" for k in want | got if got.get(k) != want.get(k)]
print("\n".join(bad) or f"{len(want)} values are equal")
sys.exit(bool(bad) or not want)
