"""The campaign: every mutant is tried at the ``test`` size, and where a claim does not notice there, at the ``quick`` size.

A claim notices a mutant if its verdict is another than on the right program. It can notice only where the right program ends
SUPPORTED, or REFUTED at the quick size, which is then what is published. A verdict that is open anyway says nothing, and
neither does one on networks that the test size trains for a few steps. What the right program says is established once, and
again when the source of the claim has changed.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from depthjax.card import read_card
from depthjax.runs import catalogue
from depthjax.verify.claim import UNTRAINED
from experiments.mutants.digest import SIZES, key, trial_digest
from experiments.mutants.mutant import Mutant
from experiments.mutants.results import Results
from experiments.mutants.trial import ERROR, PARSING, Processes

DECIDED = dict(zip(SIZES, (("SUPPORTED",), ("SUPPORTED", "REFUTED")), strict=True))  # what the right program must say
HOW = {"SUPPORTED": "supported", "REFUTED": "refuted", "INCONCLUSIVE": "open", ERROR: "error"}
RIGHT = 3600.0  # processor seconds that a claim on the right program may take
FIRST, FACTOR = 120.0, 10.0  # on a mutated one: seconds, and the factor over those on the right one


class Campaign:
    """Mutants that are tried in processes, and results that are on disk after each of them."""

    def __init__(self, results: Results, file: Path):
        self.results, self.file, self.processes = results, file, Processes()
        self._writing = threading.Lock()
        self._sound: dict[tuple[str, str], threading.Lock] = {}

    def standing(self, mutant: Mutant) -> bool:
        """Whether the results hold this mutant, and neither it nor the programs of its claims and of its file have changed."""
        return self.results.mutants.get(mutant.name, {}).get("key") == key(mutant)

    def run(self, mutants: Sequence[Mutant], jobs: int, finished: Callable[[dict[str, Any]], None]) -> None:
        """Try mutants, several at a time, and tell ``finished`` of each entry.

        Raises:
            MutantError: a mutant cannot be applied, or the results cannot be written.
        """
        pool = ThreadPoolExecutor(jobs)
        try:
            for future in as_completed([pool.submit(self._try, mutant) for mutant in mutants]):
                self._write({future.result()["name"]: future.result()})
                finished(future.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            self.processes.stop()
            raise
        pool.shutdown()

    def _try(self, mutant: Mutant) -> dict[str, Any]:
        with PARSING:
            entry = described(mutant)
        entry |= {"noticed": False, "by": [], "how": "", "size": "", "reason": ""}
        if mutant.equivalent:
            return entry
        left, undecided = list(mutant.claims), []
        for size, decided in DECIDED.items():
            sound = {slug: self._right(slug, size) for slug in left}
            right = {slug: one["outcome"] for slug, one in sound.items()}
            unable = [slug for slug in left if right[slug] not in decided]
            undecided += [f"{slug} is {HOW[right[slug]]} at {size} on the right program" for slug in unable]
            able = [slug for slug in left if right[slug] in decided]  # the others could notice nothing
            limit = FIRST + FACTOR * sum(sound[slug]["seconds"] for slug in able)
            for slug, ended in self.processes.run(mutant, able, size, limit).items():
                if ended.outcome == right[slug]:
                    continue
                left.remove(slug)
                entry["by"].append(slug)
                if not entry["noticed"]:
                    entry |= {"noticed": True, "how": HOW[ended.outcome], "size": size, "reason": ended.reason[:300]}
        return entry if entry["noticed"] else entry | {"reason": "; ".join(undecided)}

    def _right(self, slug: str, size: str) -> dict[str, Any]:
        """How a claim ends on the right program. One that trains decides nothing at the size where it barely does."""
        with PARSING:
            trains = read_card(catalogue.modules()[slug]).options.get("trains")
        if size == UNTRAINED and trains:
            return {"outcome": "INCONCLUSIVE", "seconds": 0.0}
        with self._writing:
            lock = self._sound.setdefault((slug, size), threading.Lock())
        with lock:
            with PARSING:
                source = trial_digest(slug)
            known = self.results.sound.get((slug, size))
            if known is None or known["source"] != source or not source:
                ended = self.processes.run(None, [slug], size, RIGHT)[slug]
                facts = {"outcome": ended.outcome, "reason": ended.reason[:300], "seconds": round(ended.seconds, 1)}
                known = {"claim": slug, "size": size, **facts, "source": source}
                with self._writing:
                    self.results.sound[slug, size] = known
                    self.results.write(self.file)
            return known

    def _write(self, entries: dict[str, dict]) -> None:
        with self._writing:
            self.results.mutants |= entries
            self.results.write(self.file)


def described(mutant: Mutant) -> dict[str, Any]:
    """What the entry of a mutant says before it is tried."""
    return {
        "name": mutant.name,
        "origin": mutant.origin,
        "subject": mutant.subject,
        "kind": mutant.kind,
        "target": mutant.at,
        "was": mutant.was,
        "wrong": mutant.wrong,
        "claims": list(mutant.claims),
        "equivalent": mutant.equivalent or None,
        "key": key(mutant),
    }
