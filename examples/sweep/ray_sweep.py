"""Runs a sweep as Ray tasks, one a run.

usage: python ray_sweep.py FOLDER SWEEP ARGUMENTS...

FOLDER gets a table for each run, and is not emptied: a second call does what is missing. SWEEP is the binary, ARGUMENTS are
those of the sweep without --out.
"""

import pathlib
import subprocess
import sys
import tempfile

import ray

folder, sweep, *arguments = sys.argv[1:]


@ray.remote(num_cpus=1, max_retries=-1)
def part(k, count):
    """The table of run k. It is begun anew if its worker is killed: a run is a pure function of its scene."""
    with tempfile.TemporaryDirectory() as place:
        table = pathlib.Path(place, "table.csv")
        own = ["--part", f"{k}/{count}", "--threads", "1", "--out", table]
        done = subprocess.run([sweep, *arguments, *own], capture_output=True, text=True)
        if done.returncode not in (0, 1):  # 1: a row with an error
            raise RuntimeError(done.stderr)
        return k, table.read_text()


listed = subprocess.run([sweep, *arguments, "--list"], check=True, capture_output=True, text=True)
count = len(listed.stdout.splitlines())
tables = pathlib.Path(folder)
tables.mkdir(parents=True, exist_ok=True)
missing = [k for k in range(count) if not (tables / f"{k}.csv").exists()]
print(f"{count} runs, {count - len(missing)} of them done")

ray.init()
waiting = [part.remote(k, count) for k in missing]
while waiting:
    ready, waiting = ray.wait(waiting)
    k, table = ray.get(ready[0])
    written = tables / f"{k}.part"
    written.write_text(table)
    written.rename(tables / f"{k}.csv")
