"""Counts what is done and what is not, for the weekly mail."""

import json
import sys


def count(items):
    done = sum(1 for item in items if item["isDone"])
    return done, len(items) - done


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        done, left = count(json.load(file))
    # TODO: group by week
    print(f"{done} done, {left} left")
