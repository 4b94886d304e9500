"""Prints a JUnit report as Python's XML parser reads it: one line a case."""

import sys
import xml.etree.ElementTree as ET

root = ET.parse(sys.argv[1]).getroot()
suite = root[0]
print(root.tag, {key: root.get(key) for key in ("tests", "failures", "errors")})
print(suite.tag, suite.get("name").split("/")[-1], "skipped", suite.get("skipped"))
for case in suite:
    results = [(result.tag, result.get("message")) for result in case]
    print(repr(case.get("name")), float(case.get("time")) >= 0, results)
