"""The human table and the JSON lines."""


def number(value):
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}"


def bulk_columns(record):
    """Transfer times of bulk-link, which are compared rather than scored."""
    if record["workload"] != "bulk-link":
        return ""
    return (f"  10 Gb/s: {record['transfer_fast_ns'] / 1e9:.9f} s, mean sojourn "
            f"{record['sojourn_fast_ns'] / 1e3:,.1f} us; 100 Mb/s: "
            f"{record['transfer_slow_ns'] / 1e9:.9f} s, {record['sojourn_slow_ns'] / 1e3:,.1f} us")


def table(series, medians, repeats, core):
    best = max((medians.score[name] for name in series.peers), default=None)
    lines = [f"{series.name}  ({series.unit}; median of {repeats}, core {core}, "
             f"load {medians.load:.1f})",
             f"  {'contestant':24}{'median':>14}{'spread':>9}{'x best peer':>13}"
             f"{'CPU s':>9}{'RSS MB':>8}  version"]
    for name in series.contestants:
        record = medians.records[name]
        ratio = f"{medians.score[name] / best:.2f}" if best else "-"
        lines.append(f"  {name:24}{number(medians.score[name]):>14}"
                     f"{medians.spread[name]:>8.1f}%{ratio:>13}{medians.cpu_s[name]:>9.3f}"
                     f"{record['max_rss_kb'] / 1024:>8.1f}  {record['version']}"
                     f"{bulk_columns(record)}")
    return "\n".join(lines)


def degree_met(target, value, bound):
    """1 and above: met. Per cents are compared as factors, so that 0 % is no singularity."""
    if bound is None:
        return None
    if target.minimum is not None:
        return value / bound
    return (100 + bound) / (100 + value)


def result_of(series, target, medians, repeats, core):
    ours = target.contestant
    value = target.figure(medians, ours)
    limit = target.minimum or target.maximum
    bound = limit(medians) if limit else None
    peers = {name: round(target.figure(medians, name), 2)
             for name in series.peers} if target.peers else {}
    scored = target.unit == series.unit
    degree = degree_met(target, value, bound)
    return {
        "name": f"{series.name}: {target.label}",
        "value": round(value, 2),
        "unit": target.unit,
        "target": None if bound is None else round(bound, 2),
        "better": "higher" if target.minimum or scored else "lower",
        "met": None if degree is None else round(degree, 4),
        "peers": peers,
        "ratio": round(value / max(peers.values()), 4) if scored and peers else None,
        "spread_pct": round(medians.spread[ours], 1),
        "repeats": repeats,
        "core": core,
        "load": round(medians.load, 2),
        "versions": {name: medians.records[name]["version"] for name in series.contestants},
        "fingerprint": medians.records[ours]["fingerprint"] or None,
    }


def in_order(results):
    """Without a target first, then by how well the target is met: the one met least comes last."""
    return sorted(results, key=lambda result: (result["met"] is not None, -(result["met"] or 0)))
