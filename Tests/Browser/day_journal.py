#!/usr/bin/python3
"""Makes a journal with the last 24 hours of a heart-rate belt.

  Tests/Browser/day_journal.py PROGRAM JOURNAL [HERTZ] [HOURS]

PROGRAM is a built blerun. It records one value of a simulated belt; the others are copies of it with
other times and heart rates from 50 to 90, 10 in a second unless told otherwise.
"""

import contextlib
import pathlib
import sqlite3
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

VALUES = """
WITH RECURSIVE day(i, t) AS (
  SELECT 0, unixepoch() - :seconds UNION ALL
  SELECT i + 1, unixepoch() - :seconds + (i + 1.0) / :hertz FROM day WHERE i + 1 < :count
)
INSERT INTO step_values (run, chain, event, step, time, "offset", value, hex)
SELECT v.run, v.chain, 1000 + i, v.step, strftime('%Y-%m-%dT%H:%M:', t, 'unixepoch')
    || printf('%09.6fZ', t - 60 * CAST(t / 60 AS INTEGER)), CAST(i * 1e6 / :hertz AS INTEGER),
  json_set(v.value, '$.bpm', 50 + (i * 7 + i / 977) % 41), v.hex
FROM day, (SELECT * FROM step_values ORDER BY run DESC, chain DESC, event DESC LIMIT 1) v
"""

MINUTES = """
INSERT INTO rollups (run, chain, step, minute, field, minimum, maximum, total, count)
SELECT run, chain, step, unixepoch(time) / 60, 'bpm', min(value ->> '$.bpm'), max(value ->> '$.bpm'),
  total(value ->> '$.bpm'), count(*)
FROM step_values WHERE event >= 1000 GROUP BY run, chain, step, unixepoch(time) / 60
"""


# The chain was under way all day, as its values were recorded during it.
DURING = """
UPDATE chains SET started = strftime('%Y-%m-%dT%H:%M:%fZ', unixepoch() - :seconds, 'unixepoch'),
  finished = strftime('%Y-%m-%dT%H:%M:%fZ', unixepoch(), 'unixepoch')
"""


def make(program, journal, hertz=10, hours=24):
    """Writes the journal, and returns how many values it has."""
    subprocess.run(
        [program, "run", "-d", "HRM-1", "-e", "notify heart-rate-measurement until 1x", "--simulate",
         "Simulators/devices/heart-rate.yaml", "--journal", journal],
        cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    count = int(float(hertz) * float(hours) * 3600)
    with contextlib.closing(sqlite3.connect(journal)) as database, database:
        database.execute("PRAGMA foreign_keys = ON")
        database.execute(VALUES, {"seconds": int(float(hours) * 3600), "hertz": float(hertz), "count": count})
        database.execute(MINUTES)
        database.execute(DURING, {"seconds": int(float(hours) * 3600)})
        # The sums over records are blerun's; a record without one is unchecked, if its run is.
        for table in ["runs", "chains", "steps", "step_values", "rollups"]:
            database.execute(f"UPDATE {table} SET checksum = NULL WHERE checksum IS NOT NULL")
    return count


if __name__ == "__main__":
    print(make(*sys.argv[1:]), "values")
