"""``depthjax sweep``: trains every combination that a configuration file asks for, on one device, many, or many hosts."""

import dataclasses
import os
from pathlib import Path
from typing import Annotated, Literal

import tyro

from experiments.studies.accelerators import UTILISATION, check_accelerator
from experiments.terminal import UsageError, usage

_CROWD = 8  # processes that one core may serve


@dataclasses.dataclass(frozen=True)
class SweepCommand:
    """Train networks of several kinds and depths from several seeds, and judge what the typical seed learns.

    The studies of the papers have names: --study NAME --setting reduced fits two cores, card one H100,
    and published is the paper's setting.
    A sweep of your own is a TOML file, CONFIG; lists are crossed with each other, and everything has a default:
      task = "words"                # follow the product of group elements; others below
      groups = ["C2", "S3"]         # every group of `depthjax bound group`
      models = ["signed_mamba", "aussm"]
      widths = [32]
      learning_rates = [3e-3]
      batches = [64]
      depths = [1, 2]
      seeds = 12                    # of every depth; the default. Too few for a verdict are refused: see --unjudged
      length = 16                   # tests are at this length and at twice it
      alphabet = "all"              # letters: all elements of a group, or its "generators" and the identity
      samples = 0                   # words of a fixed training set; 0 draws fresh ones for every step
      optimiser = "lion"            # any of optax; left out, AdamW with betas, epsilon and weight_decay of [recipe]
      [hyperparameters]             # of this optimiser
      b1 = 0.95
      [recipe]                      # steps, warmup, clip, schedule, record_every, stop_metric, stop_at
      steps = 2000
      stop_metric = "sequence"      # on validation words; training, validation and test words never share a key
      [switches.aussm]              # of one kind of model
      mlp = true

    Other tasks, each with a list of its own in the place of groups, are trained and not judged: theory predicts nothing there.
      task: "automaton"      follow the state; automata: "parity", "flip_flop", "regex:(ab)*", "[[0, 1], [1, 0]]"
                             or the path of a file in HOA, DOT, BA or JSON
      task: "acceptance"     is the word so far accepted; automata: "regex:(ab)*", or a file that says which states accept
      task: "file"           the labels of the words of a file; files: CSV, TSV or parquet. [words] has the columns word and
                             label; part, a column that says train, validation or test, or shares, as [0.8, 0.1, 0.1], and a
                             key; letters and classes, the names of all. Longer words than length are for testing alone
      task: "dyck"           name the innermost open bracket; nestings: how many may be open at once
      task: "hops"           follow pointers; hops: how many
      task: "asked_hops"     as often as the first token asks; largest_hops: at most how often. Its errors are told by hop
      task: "rotation"       turn a vector; modes: "faithful", "as published"
      task: "alternation"    has the word so many blocks yet; blocks: how many
      task: "composition"    the product of a whole word, by the models "two_layer", "recurrent" and "tree"; groups. The length
                             gives the depth: one hidden layer, length - 1 steps, log2(length) layers

    The directory holds cells/*.nc (curves and tests), verdicts.jsonl, figure.svg and states (checkpoints). Exit codes are
    those of verify: 0 all supported, 1 something refuted, 3 nothing refuted but something open, 2 usage, 4 the program failed.

    Examples:
      depthjax sweep s3.toml --out runs/s3
      depthjax sweep s3.toml --out runs/s3 --resume
      depthjax sweep --study hop_depth --out runs/hops        then: depthjax compare runs/hops hop_depth
      depthjax sweep --study hop_depth --setting published --dry-run --accelerator H100
      depthjax sweep mine.toml --out runs/mine --layers my_layers.py      models that this file registers
      depthjax sweep s3.toml --out runs/s3 --processes 2      both on this machine
      depthjax sweep s3.toml --out /shared/s3 --processes 4 --process 1 --coordinator host0:1234     on the second of four hosts
      depthjax sweep s3.toml --out /shared/s3 --cluster tcp://host0:8786      on the workers of a Dask scheduler
    """

    config: Annotated[Path | None, tyro.conf.Positional, tyro.conf.arg(metavar="CONFIG")] = None
    """The configuration file; none with --study."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="DIR")] = None
    """Where results go; empty, or not there, unless resuming. Shared by all hosts. Needed unless --dry-run."""
    study: Annotated[str | None, tyro.conf.arg(metavar="NAME")] = None
    """A study of a paper, in the place of CONFIG. It is trained however few its seeds are: what they cannot judge is open."""
    setting: str = "reduced"
    """Of the study: reduced (two hours of two cores at most), card (one H100), published, and what else its file has."""
    dry_run: bool = False
    """Train nothing: count cells, network-steps and tokens, and estimate memory and hours from seconds of training."""
    accelerator: Annotated[str | None, tyro.conf.arg(metavar="NAME")] = None
    """With --dry-run: also hours and memory on this device, from its published peak, such as H100."""
    utilisation: float = UTILISATION
    """Share of that peak which the estimate assumes."""
    resume: bool = False
    """Go on with the broken sweep in --out: finished cells are kept, a broken one goes on from its last checkpoint."""
    layers: Annotated[tuple[str, ...], tyro.conf.arg(metavar="PATH|MODULE ...")] = ()
    """Files or modules that register layers of their own (`depthjax.models.register`). Importing a file runs it."""
    layout: Literal["auto", "masked", "buckets"] = "auto"
    """One program for all depths, or one for each; auto takes the faster one for the backend."""
    processes: int = 1
    """How many processes share the runs."""
    process: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """Which of them this one is, from 0; left out, all are started here."""
    coordinator: Annotated[str | None, tyro.conf.arg(metavar="HOST:PORT")] = None
    """Where process 0 listens; needed with --process."""
    cluster: Annotated[str | None, tyro.conf.arg(metavar="ADDRESS")] = None
    """Train on the workers of the Dask scheduler that listens there. They need --out, a folder that all of them see, the same
    versions, and --nthreads 1; workers with --resources "GPU=1" get all cells. Cells of lost workers go on at others."""
    unjudged: bool = False
    """Train even if the seeds are too few for any verdict; every line is then INCONCLUSIVE, and the exit code 3."""
    json: bool = False
    """Print one JSON object with `cells` and nothing else."""

    def run(self) -> int:
        """Run, print, and return the exit code."""
        from depthjax.runs.cluster import ClusterError, connected
        from depthjax.runs.lock import one_writer
        from depthjax.runs.records import RecordError, occupied
        from experiments.commands.launch import Launched
        from experiments.studies.configuration import SweepError
        from experiments.studies.sweep import check_seeds

        launched = Launched()
        for name in self.layers:
            _load(name)
        self._check()
        sweep = self._read()
        if self.dry_run:
            from experiments.commands.dry_run import sweep_cost

            return sweep_cost(sweep, self.accelerator, self.utilisation, as_json=self.json)
        if not self.unjudged and self.study is None:
            with usage(SweepError):
                check_seeds(sweep)
        if self.process:  # the first process holds the directory for all
            return self._train(sweep, launched)
        assert self.out is not None  # checked before
        taken = one_writer(self.out, launched.lock)
        with usage(RecordError, ClusterError), connected(self.cluster) as cluster, taken as lock:
            if occupied(self.out) and not self.resume:
                raise UsageError(f"{self.out} is not empty: choose another --out, or --resume the sweep in it")
            if self.processes > 1 and self.process is None:
                return self._start(lock)
            return self._train(sweep, launched, cluster)

    def _read(self):
        from experiments.studies.configuration import SweepError
        from experiments.studies.reading import paper, read

        with usage(SweepError):
            if self.config is not None:
                return read(self.config)
            found = paper(str(self.study))
            sweep = found.sweep(self.setting)
        if self.process is None and not self.dry_run:
            from experiments.commands.dry_run import tell_paper

            tell_paper(found, self.setting, sweep)
        return sweep

    def _check(self) -> None:
        if (self.config is None) == (self.study is None):
            raise UsageError("give a configuration file, CONFIG, or the name of a study, --study NAME, and not both")
        if self.out is None and not self.dry_run:
            raise UsageError("--out is needed: the directory where results go; --dry-run alone writes nothing")
        if self.accelerator is not None:
            if not self.dry_run:
                raise UsageError("--accelerator needs --dry-run: it estimates, and a sweep runs where it is started")
            with usage(ValueError):
                check_accelerator(self.accelerator, self.utilisation)
        if self.cluster is not None and (self.processes > 1 or self.process is not None or self.dry_run):
            raise UsageError("--cluster takes neither --processes, --process nor --dry-run: its workers train the cells")
        if self.processes < 1:
            raise UsageError(f"--processes {self.processes}: expected 1 or more")
        if self.process is None and self.processes > (most := _CROWD * (os.cpu_count() or 1)):
            raise UsageError(f"--processes {self.processes}: expected at most {most}, {_CROWD} for every core of this machine")
        if (self.process is None) != (self.coordinator is None):
            raise UsageError("--process and --coordinator go together: who this process is, and where process 0 listens")
        if self.coordinator is not None:
            from experiments.commands.sweep_training import address

            address(self.coordinator)
        if self.process is not None and not 0 <= self.process < self.processes:
            raise UsageError(f"--process {self.process}: expected 0 to {self.processes - 1}, one below --processes")

    def _train(self, sweep, launched, cluster=None) -> int:
        from experiments.commands.sweep_training import Member, train

        assert self.out is not None  # checked before
        member = None
        if self.process is not None:
            assert self.coordinator is not None  # checked before
            member = Member(self.process, self.processes, self.coordinator)
        return train(sweep, self.out, self.layout, launched, member=member, cluster=cluster, as_json=self.json)

    def _start(self, lock) -> int:
        """Start all processes here, each with the words of this command."""
        from experiments.commands.sweep_training import start

        assert self.out is not None  # checked before
        asked = [str(self.config)] if self.study is None else ["--study", self.study, "--setting", self.setting]
        command = ["sweep", *asked, "--out", str(self.out), "--layout", self.layout]
        command += ["--layers", *self.layers] if self.layers else []
        command += ["--resume"] * self.resume + ["--json"] * self.json + ["--unjudged"] * self.unjudged
        return start(command, self.processes, self.out, lock)


def _load(name: str) -> None:
    """Import a file or a module that registers layers; the user named it."""
    import importlib

    from depthjax.runs import places
    from depthjax.runs.guest import guest

    with usage(places.NoPlace):
        module = places.module_at(Path(name)) if places.is_path(name) else places.module_named(name)
    try:
        with guest():
            importlib.import_module(module)
    except Exception as error:  # whatever the user's file raises
        raise UsageError(f"--layers {name} cannot be imported: {type(error).__name__}: {error}") from error
