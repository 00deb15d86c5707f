#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do the shipped scenarios and profiles satisfy the schemas that editors use?

The program itself never reads the schemas: a wrong one would only mislead people as they type.
"""
import json
import pathlib
import sys

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def main() -> int:
    root = pathlib.Path(__file__).resolve().parents[2] / "scenarios"
    wrong = 0
    for schema_name, files in (("scenario", root.glob("*.yaml")), ("cluster", root.glob("clusters/*.yaml"))):
        schema = json.loads((root / f"schema/{schema_name}.schema.json").read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        validator = jsonschema.Draft7Validator(schema)
        for file in sorted(files):
            for error in validator.iter_errors(yaml.safe_load(file.read_text())):
                print(f"{file}: {'.'.join(map(str, error.absolute_path))}: {error.message}")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
