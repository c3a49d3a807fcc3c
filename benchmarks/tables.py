"""The tables of what is no row as Markdown: growth, concurrency, executors, soak, GPUs."""

from __future__ import annotations

from typing import Any

from benchmarks.row_tables import times
from benchmarks.run import duration


def growth_table(entries: dict[int, dict[str, Any]]) -> list[str]:
    """Build, first run, steady run and memory by size."""
    out = ["| ops | | build | first run | steady run | memory |", "|---|---|---|---|---|---|"]
    for ops, entry in sorted(entries.items()):
        for name, figures in entry["figures"].items():
            cells = [duration(figures[key]["median"]) for key in ("build", "first", "steady")]
            out.append(f"| {ops:,} | {name} | {' | '.join(cells)} | {figures['mb']['median']:.1f} MB |")
    return out


def data_growth_table(entries: dict[str, dict[str, Any]]) -> list[str]:
    """What an element costs by stages and size, and with which exponents that grows."""
    out: list[str] = []
    for title, entry in entries.items():
        heads = " | ".join(_point(at) for at in entry["points"])
        out += [f"| {title} | {heads} | exponents |", f"|{'---|' * (len(entry['points']) + 2)}"]
        for name, seconds in entry["seconds"].items():
            powers = ", ".join(f"{power:.2f}" for power in entry["exponents"][name])
            out.append(f"| {name} | {' | '.join(duration(s['median']) for s in seconds)} | {powers} |")
        verdict = {True: "Nowhere faster than the work.", False: "**Faster than the work.**", None: "Not judged."}
        out += ["", verdict[entry["met"]], ""]
    return out[:-1]


def work_growth_table(entries: dict[str, dict[str, Any]]) -> list[str]:
    """What a run costs by size, a table for each thing that grows."""
    out: list[str] = []
    for unit in dict.fromkeys(entry["unit"] for entry in entries.values()):
        group = {title: entry for title, entry in entries.items() if entry["unit"] == unit}
        points = sorted({at for entry in group.values() for at in entry["points"]})
        out += ["", f"| {unit} | | {' | '.join(f'{at:,}' for at in points)} |", f"|{'---|' * (len(points) + 2)}"]
        for title, entry in group.items():
            for name, seconds in entry["seconds"].items():
                found = dict(zip(entry["points"], seconds, strict=True))
                cells = [duration(found[at]["median"]) if at in found else "" for at in points]
                out.append(f"| {title} | {name} | {' | '.join(cells)} |")
    steep = [title for title, entry in entries.items() if entry["met"] is False]
    return [*out[1:], "", f"Faster than the work: {', '.join(steep)}." if steep else "Nowhere faster than the work."]


def _point(at: int) -> str:
    """A number of stages, or bytes."""
    return f"{at >> 20} MB" if at >= 1 << 20 else f"{at >> 10} KB" if at >= 1 << 10 else str(at)


def programs_table(entries: dict[str, dict[str, Any]]) -> list[str]:
    """Seconds, seconds of the processor and memory of whole programs, and each beside TensorFlow's."""
    out = ["| | | time | processor | memory | ratios | goal | |", "|---|---|---|---|---|---|---|---|"]
    for entry in entries.values():
        verdict = {True: "met", False: "**missed**", None: "not judged"}[entry["met"]]
        for name, figures in entry["figures"].items():
            ratio = entry["ratios"].get(name)
            cells = [duration(figures[key]["median"]) for key in ("seconds", "processor")]
            cells.append(f"{figures['peak_mb']['median']:.0f} MB")
            cells.append(", ".join(times(spread["median"]) for spread in ratio.values()) if ratio else "")
            cells += [f"≥ {entry['goal']['ratio']:g}x", verdict] if name == "inlay" else ["", ""]
            out.append(f"| {entry['title']} | {name} | {' | '.join(cells)} |")
    return out


def concurrency_table(entries: dict[str, dict[str, Any]]) -> list[str]:
    """Throughput by one thread and by many."""
    out = ["| a run of | | alone | 32 threads | ratio (quartiles) | goal |", "|---|---|---|---|---|---|"]
    for title, entry in entries.items():
        for name, ratio in entry["ratios"].items():
            verdict = f"≥ {entry['goal']}x: {'met' if entry['met'] else '**missed**'}" if name == "inlay" else ""
            out.append(
                f"| {title} | {name} | {entry['one'][name]['median']:,.0f}/s | {entry['many'][name]['median']:,.0f}/s "
                f"| {ratio['median']:.2f}x ({ratio['q1']:.2f} to {ratio['q3']:.2f}) | {verdict} |"
            )
    return out


def executors_table(entries: dict[str, dict[str, Any]]) -> list[str]:
    """What a call costs on each executor, start-up, arrays by size, and seconds from a fault to its error."""
    out = ["| body | on | one call | calls/s | beside a bare loop | beside loky |", "|---|---|---|---|---|---|"]
    for body in (e for e in entries.values() if "many" in e):
        for name, rate in body["many"].items():
            ratios = [body["faster"].get(against, {}).get(name) for against in ("bare loop", "loky")]
            cells = [f"{r['median']:.2f}x ({r['q1']:.2f} to {r['q3']:.2f})" if r else "" for r in ratios]
            one = duration(body["one"][name]["median"]) if "one" in body else ""
            out.append(f"| {body['title']} | {name} | {one} | {rate['median']:,.0f} | {' | '.join(cells)} |")
    starting, arrays, faults = (entries.get(title) for title in ("start-up", "sizes", "faults"))
    if starting:
        out += ["", f"To the first result: {', '.join(f'{n} {duration(s)}' for n, s in starting['seconds'].items())}."]
    if arrays:
        names = list(next(iter(arrays["one"].values())))
        out += ["", f"| there and back | {' | '.join(names)} |", f"|{'---|' * (len(names) + 1)}"]
        by_size = sorted(arrays["one"].items(), key=lambda item: (item[0].split()[1], int(item[0].split()[0])))
        for size, ways in by_size:
            out.append(f"| {size} | {' | '.join(duration(ways[name]['median']) for name in names)} |")
    if faults:
        told = [f"{t} {duration(f['median'])} to `{f['error']}`" for t, f in faults["seconds"].items()]
        out += ["", f"From a fault to its error: {'; '.join(told)}."]
    return out


def compilers_table(entries: dict[str, dict[str, Any]]) -> list[str]:
    """The cost of a Python function in a program of another compiler, beside that compiler's own means.

    For JAX the ratio is that of the costs of `pure_callback` and inlay, above the bare program; for PyTorch that of the
    times of inlay and the bare `custom_op`; for our own plans that of the times without and with `jit_compile`.
    """
    out = ["| case | way | time | ratio | goal |", "|---|---|---|---|---|"]
    for title, entry in entries.items():
        for name, seconds in entry["seconds"].items():
            ratio = entry["ratios"].get(name)
            shown = f"{ratio['median']:.2f} ({ratio['q1']:.2f} to {ratio['q3']:.2f})" if ratio else ""
            goal = entry["goal"] if ratio and entry["goal"] else ""
            out.append(f"| {title} | {name} | {duration(seconds['median'])} | {shown} | {goal} |")
    return out


def tracing_table(entries: dict[str, dict[str, Any]]) -> list[str]:
    """The cost of a recording of spans: the time of a step or call without and with one, and the memory of the ring."""
    out = ["| case | not recorded | recorded | price | goal |", "|---|---|---|---|---|"]
    for title, entry in entries.items():
        if "megabytes" in entry:
            out.append(f"| {title}, a million spans | | | {entry['megabytes']:.1f} MB | {entry['goal']:g} MB |")
            continue
        price = entry["microseconds"]
        goal = f"{entry['goal']:g} us" if entry["goal"] else ""
        shown = f"{price['median']:.2f} us ({price['q1']:.2f} to {price['q3']:.2f})"
        times = f"{duration(entry['off']['median'])} | {duration(entry['on']['median'])}"
        out.append(f"| {title} | {times} | {shown} | {goal} |")
    return out


def soak_table(entries: dict[str, dict[str, Any]]) -> list[str]:
    """What the soak did last."""
    out = ["| part | done | seconds | memory after warm-up | grown after that | |", "|---|---|---|---|---|---|"]
    for part, entry in entries.items():
        warm, grown = entry["warm_mb"], entry["grown_mb"]
        verdict = "; ".join(entry["faults"]) or "all well"
        out.append(
            f"| {part} | {entry['done']:,} of {entry['asked']:,} | {entry['seconds']:.0f} | "
            + (f"{warm:.0f} MB | {grown:+.1f} MB" if grown is not None else "| ")
            + f" | {verdict} |"
        )
    return out


def gpu_table(entries: dict[str, dict[str, Any]]) -> list[str]:
    """A host function on the GPU beside the peers'."""
    peers = list(dict.fromkeys(name for entry in entries.values() for name in entry["seconds"]))
    out = [f"| array | {' | '.join(peers)} | times faster (quartiles) |", f"|{'---|' * (len(peers) + 2)}"]
    for title, entry in entries.items():
        cells = [duration(entry["seconds"][p]["median"]) if p in entry["seconds"] else "absent" for p in peers]
        ratios = [
            f"{name} {times(ratio['median'])} ({times(ratio['q1'])} to {times(ratio['q3'])})"
            for name, ratio in entry["ratios"].items()
        ]
        out.append(f"| {title} | {' | '.join(cells)} | {', '.join(ratios)} |")
    missing = {f"{name}: {why}" for entry in entries.values() for name, why in entry["absent"].items()}
    return [*out, *(f"\nDid not take part: {text}" for text in sorted(missing))]
