"""Mutants: they apply, one wrong line at a time; a claim that says nothing is found out; what is known is not tried again."""

import json
import subprocess
import sys
import textwrap

import pytest

from depthjax.runs import catalogue
from depthjax.runs.origin import read_again
from experiments import cli
from experiments.mutants import campaign, rates
from experiments.mutants.__main__ import main
from experiments.mutants.application import mutated
from experiments.mutants.choice import content, sample, select
from experiments.mutants.digest import key
from experiments.mutants.mutant import KINDS, Mutant, MutantError, written
from experiments.mutants.results import Results, committed
from experiments.mutants.trial import ERROR, Processes
from tests import toys

FORMULAS = '''
"""Formulas."""

import functools

from theory.checks import positive_integer as counted

FACTOR = 2


@functools.cache
def subsets(elements: int) -> int:
    """Return 2**elements."""
    return FACTOR**elements


class Shape:
    SIDES = 3

    def edges(self):
        return self.SIDES + 0


def outer(n):
    def inner(k):
        return k + 1

    return inner(n) + 1


def spare(n):
    if n < 0:
        raise ValueError("n is below 0")
    return n + 1


def subset_sizes(n: int | None):
    return n + 2


def sizes(n):
    return counted("n", n + 3, "elements") + 4
'''
CLAIM = toys.claim(
    """
    def predict(cell):
        return Prediction(subsets(3) + 0 * spare(1), of="subsets")


    RIVALS = (off_by(+1, of="subsets"),)
    """,
    statement="A set of n elements has 2^n subsets.",
    imports="from pets.formulas import spare, subsets\n",
    sizes="pass",
)
MEASURE = toys.measure(
    "return measured(subsets=Quantity(len(list(itertools.product((0, 1), repeat=3)))))", imports="import itertools\n"
)
ENTRY = '{{ kind = "{kind}", at = "{at}", was = "{was}", wrong = "{wrong}", claims = ["counts"]{more} }},\n'
NOTICED = {"kind": "constant", "at": "pets.formulas.FACTOR", "was": "= 2", "wrong": "= 3"}
UNNOTICED = {"kind": "index", "at": "pets.formulas.spare", "was": "n + 1", "wrong": "n + 2"}
TYPED = {
    "kind": "measurement",
    "at": "pets.cats.counts.measure.measure",
    "was": "len(list(itertools.product((0, 1), repeat=3)))",
    "wrong": "8",
}
STOPS = {"kind": "exponent", "at": "pets.formulas.subsets", "was": "FACTOR**", "wrong": "FACTOR / 0**"}


def mutant(**parts):
    return Mutant(subject="pets", claims=("counts",), **(NOTICED | parts))


def entry(more="", **parts):
    return ENTRY.format(more=more, **(NOTICED | parts))


def listed(*entries):
    return f"mutants = [\n{''.join(entries)}]\n"


@pytest.fixture
def pets(tmp_path, monkeypatch):
    """A catalogue of one claim, the formulas that it predicts from, and a folder for mutants."""
    package = tmp_path / "pets"
    toys.write(toys.packages(package.parent, "pets", "cats") / "counts", CLAIM, MEASURE)
    (package / "mutants").mkdir()
    (package / "formulas.py").write_text(FORMULAS.lstrip())
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("DEPTHJAX_CATALOGUE", "pets")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield package
    for name in [name for name in sys.modules if name.partition(".")[0] == "pets"]:
        del sys.modules[name]


@pytest.fixture
def write(pets):
    return lambda *entries: (pets / "mutants" / "cats.toml").write_text(listed(*entries))


# the written mutants of this project


@pytest.mark.parametrize("one", written(catalogue.OWN), ids=lambda one: one.name)
def test_every_written_mutant_applies_and_compiles(one):
    assert mutated(one)


# reading


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("mutants = [", "cannot be read"),
        ("", "must hold one list"),
        ("others = []", "must hold one list"),
        ("mutants = []\nmore = 1", "must hold one list"),
        ("mutants = [1]", "write an inline table"),
        (listed(entry(kind="wrong")), "unknown kind 'wrong'; the kinds are constant, "),
        (listed(entry(more=", clams = 1")), "unknown key 'clams'; did you mean claims"),
        (listed(entry(more=", equivalent = 1")), "equivalent = 1 must be a text"),
        (listed(entry(was=" ")), "was = ' ' must be a text"),
        (listed(entry(wrong="= 2")), "was and wrong are the same text"),
        (listed(entry().replace("counts", "count")), "there is no claim 'count'; did you mean counts?"),
        (listed(entry().replace("counts", 'counts", "counts')), "named twice"),
        (listed(entry().replace('["counts"]', "[]")), "at least one slug"),
        (listed(entry().replace('kind = "constant", ', "")), "mutant 1 (pets.formulas.FACTOR): kind is missing"),
        (listed(entry(), entry()), "stands there twice"),
    ],
)
def test_a_broken_file_is_one_line_that_names_it(pets, capsys, text, told):
    (pets / "mutants" / "cats.toml").write_text(text)
    assert main(["run"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and "cats.toml" in said[0] and told in said[0]


def test_no_mutants_are_no_success(pets, capsys):
    assert main(["run"]) == 2
    assert "there is nothing to try" in capsys.readouterr().err


def test_every_kind_can_be_read(write):
    write(*(entry(kind=kind, wrong=f"= {number + 5}") for number, kind in enumerate(KINDS)))
    assert [one.kind for one in written()] == list(KINDS)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", "dogs"], "no mutants of 'dogs'"),
        (["run", "cat"], "did you mean cats?"),
        (["run", "--jobs", "0"], "--jobs 0: expected 1 or more"),
        (["run", "--sample", "0"], "--sample 0"),
        (["merge", "nowhere.json"], "there is no file nowhere.json"),
        (["run", "--out", "/proc/results.json"], "cannot write /proc/results.json"),
        (["walk"], "there is no command 'walk'"),
    ],
)
def test_a_wrong_command_is_one_line(write, capsys, arguments, told):
    write(entry())
    assert main(arguments) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and told in said[0]


def test_every_package_of_the_catalogue_has_mutants_and_results_of_its_own(write, pets, monkeypatch):
    other = pets.parent / "farm" / "claims"
    (other / "mutants").mkdir(parents=True)
    toys.packages(pets.parent, "farm", "claims")
    (other / "weighs.py").write_text(CLAIM)
    entries = (entry(**parts).replace('"counts"', '"weighs"') for parts in (UNNOTICED, STOPS))
    (other / "mutants" / "weights.toml").write_text(listed(*entries))
    write(entry())
    monkeypatch.setenv("DEPTHJAX_CATALOGUE", "pets,farm.claims")
    found = written()
    assert [(one.package, one.subject) for one in found] == [("pets", "cats"), *[("farm.claims", "weights")] * 2]
    assert [committed(package) for package in ("pets", "farm.claims")] == [pets / "mutants.json", other / "mutants.json"]
    assert repr(found[1]) == repr(written("farm.claims")[0]) and "farm" not in repr(found[1])  # of which keys are digests
    Results([one("p", True)]).write(committed("pets"))
    Results([one("q", False)]).write(committed("farm.claims"))
    assert rates.rates()["x"] == {"written": (1, 2)}
    with pytest.raises(catalogue.UnknownClaim, match="no package of the catalogue"):
        written("elsewhere")


# application


@pytest.mark.parametrize(
    ("at", "was", "wrong"),
    [
        ("FACTOR", "= 2", "= 3"),
        ("subsets", "FACTOR**", "FACTOR * "),
        ("subsets", "functools.cache", "functools.lru_cache"),
        ("Shape", "SIDES = 3", "SIDES = 4"),
        ("Shape.SIDES", "= 3", "= 4"),
        ("Shape.edges", "+ 0", "+ 1"),
        ("outer", "inner(n) + 1", "inner(n)"),
        ("outer.inner", "k + 1", "k - 1"),
    ],
)
def test_one_definition_changes_and_nothing_else(pets, at, was, wrong):
    before = (pets / "formulas.py").read_text()
    changed = mutated(mutant(at=f"pets.formulas.{at}", was=was, wrong=wrong))
    assert [pair for pair in zip(before.splitlines(), changed.splitlines(), strict=True) if len({*pair}) > 1] == [
        (line, line.replace(was, wrong)) for line in before.splitlines() if was in line
    ][:1]
    assert (pets / "formulas.py").read_text() == before


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"at": "cows.formulas.FACTOR"}, "there is no package 'cows'"),
        ({"at": "pets.formulas.factor"}, "defines no factor"),
        ({"at": "pets.formulas.outer.outer"}, "defines no outer.outer"),
        ({"at": "pets.formulas"}, "defines no module as a whole"),
        ({"was": "= 4"}, "occurs 0 times"),
        ({"at": "pets.formulas.outer", "was": "+ 1"}, "occurs 2 times"),
        ({"wrong": "= ="}, "does not compile"),
        ({"at": "pets.formulas.subsets", "was": "Return 2", "wrong": "Return 3"}, "only a comment or a docstring changes"),
        ({"wrong": "= 2  # two"}, "only a comment or a docstring changes"),
    ],
)
def test_a_mutant_that_cannot_be_applied_says_why(pets, parts, told):
    with pytest.raises(MutantError, match=r"pets\.toml: the mutant of") as error:
        mutated(mutant(**parts))
    assert told in str(error.value)


def test_the_hook_loads_the_mutant_and_leaves_no_trace(pets):
    program = """
        import sys
        from experiments.mutants.application import install
        from experiments.mutants.mutant import Mutant, MutantError
        mutant = Mutant("pets", "constant", "pets.formulas.FACTOR", "= 2", "= 3", ("counts",))
        install(mutant)
        from pets.formulas import subsets
        assert subsets(2) == 9, subsets(2)
        try:
            install(mutant)
        except MutantError as error:
            assert "loaded already" in str(error)
        else:
            raise AssertionError
    """
    again = "from pets.formulas import subsets; assert subsets(2) == 4"
    for text in (program, again, program):  # stored bytecode of the right program is not used, nor overwritten
        subprocess.run([sys.executable, "-c", textwrap.dedent(text)], cwd=pets.parent, check=True)


def test_a_trial_has_loaded_no_module_that_a_written_mutant_changes():
    program = """
        import sys
        import experiments.mutants.trial  # all that a trial's process has imported before it applies its mutant
        from experiments.mutants.application import located
        from experiments.mutants.mutant import written
        loaded = {mutant.at for mutant in written() if located(mutant.at, mutant.where)[0] in sys.modules}
        assert not loaded, loaded
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)


# trials


def test_a_number_that_a_mutant_types_in_is_noticed(write, pets, tmp_path):
    write(entry(**TYPED))
    file = tmp_path / "results.json"
    assert main(["run", "--jobs=1", f"--out={file}"]) == 0
    (one,) = json.loads(file.read_text())["mutants"]
    assert one["how"] == "error" and "returns a constant as 'subsets'" in one["reason"]


def test_a_campaign_finds_the_claim_that_says_nothing(write, pets, capsys, tmp_path):
    write(entry(), entry(**UNNOTICED), entry(**STOPS), entry(wrong="= 1 + 1", more=', equivalent = "1 + 1 = 2"'))
    file = tmp_path / "results.json"
    assert main(["run", "--jobs=2", f"--out={file}"]) == 1
    printed = capsys.readouterr()
    assert "not noticed by counts: pets.formulas.spare: n + 1 -> n + 2" in printed.out
    assert "2 of 3 mutants noticed" in printed.out
    found = {one["target"].rpartition(".")[2]: one for one in json.loads(file.read_text())["mutants"] if not one["equivalent"]}
    assert {name: (one["noticed"], one["how"], one["size"], one["by"]) for name, one in found.items()} == {
        "FACTOR": (True, "refuted", "test", ["counts"]),
        "spare": (False, "", "", []),
        "subsets": (True, "error", "test", ["counts"]),
    }
    assert rates.rates(file) == {"counts": {"written": (2, 3)}}
    # what is known stands, until the claim changes
    assert main(["run", "--jobs=1", f"--out={file}"]) == 1
    assert "4 tried before and unchanged, 0 to go" in capsys.readouterr().err
    claim = pets / "cats" / "counts" / "claim.py"
    claim.write_text(claim.read_text().replace("0 * spare(1)", "spare(1) - 2"))
    assert main(["run", "cats", "--jobs=2", f"--out={file}"]) == 0
    assert "3 of 3 mutants noticed" in capsys.readouterr().out
    # and a mutant that is gone is forgotten
    write(entry())
    assert main(["run", f"--out={file}"]) == 0
    assert [one["target"] for one in json.loads(file.read_text())["mutants"]] == ["pets.formulas.FACTOR"]


def key_now() -> str:
    read_again()
    return key(mutant())


@pytest.mark.parametrize(
    ("was", "now", "stands"),
    [
        ("A set of", "Every set of", True),
        ("CLAIM =", "# of a finite set\nCLAIM =", True),
        ("RIVALS =", "PICTURES = ()\nRIVALS =", True),
        ("import Grid,", "import Grid, Picture,", True),
        ("RIVALS =", "def _drawn(dataset):\n    ...\n\n\nRIVALS =", True),
        ("spare(1)", "spare(2)", False),
        ("repeat=3", "repeat=4", False),
    ],
)
def test_a_result_stands_while_its_programs_are_the_same(pets, was, now, stands):
    before, changed = key_now(), 0
    for file in (pets / "cats" / "counts").glob("*.py"):
        changed += was in file.read_text()
        file.write_text(file.read_text().replace(was, now))
    assert changed == 1
    assert (key_now() == before) is stands


def test_larger_sizes_do_not_concern_a_trial(pets):
    claim, sizes = pets / "cats" / "counts" / "claim.py", "GRIDS = {{'test': Grid(), 'quick': {}, 'full': {}}}"
    keys = []
    for quick, full in (("Grid()", "Grid()"), ("Grid()", "Big()"), ("Big()", "Grid()")):
        text = claim.read_text().splitlines()
        text = [sizes.format(quick, full) if line.startswith("GRIDS") else line for line in text]
        claim.write_text("\n".join(text))
        keys.append(key_now())
    assert keys[0] == keys[1] != keys[2]


def test_a_verdict_that_is_open_anyway_notices_nothing(write, pets, tmp_path):
    claim = pets / "cats" / "counts" / "claim.py"
    claim.write_text(claim.read_text().replace("off_by(+1", "off_by(0"))
    write(entry())
    assert main(["run", f"--out={tmp_path / 'results.json'}"]) == 1


@pytest.mark.slow
def test_a_mutant_that_loops_for_ever_is_ended_and_does_not_end_the_others(pets):
    endless = mutant(at="pets.formulas.spare", was="if n < 0:", wrong="while n > 0:\n        n\n    if n < 0:")
    ended = Processes().run(endless, ["counts"], "test", 5.0)
    assert ended["counts"].outcome == ERROR and "processor time" in ended["counts"].reason


# results


def one(name, noticed, **more):
    base = {"name": name, "origin": "written", "subject": "dogs", "target": "a.b", "claims": ["x", "y"], "key": "0"}
    return base | {"noticed": noticed, "by": ["x"] if noticed else [], "equivalent": None} | more


def test_results_are_joined_and_the_later_file_counts(write, tmp_path, capsys):
    write(entry())
    files = [tmp_path / f"{name}.json" for name in "abc"]
    Results([one("p", False), one("q", True), one("gone", True, subject="cats")]).write(files[0])
    Results([one("p", True), one("r", True)]).write(files[1])
    assert main(["merge", str(files[0]), str(files[1]), f"--out={files[2]}"]) == 0
    assert {name: found["noticed"] for name, found in Results.read(files[2]).mutants.items()} == dict.fromkeys("pqr", True)


def test_rates_count_by_claim_and_origin(tmp_path):
    file = tmp_path / "results.json"
    Results([one("p", True), one("q", False), one("r", True, origin="generated"), one("s", False, equivalent="a proof")]).write(
        file
    )
    found = rates.rates(file)
    assert found == {"x": {"written": (1, 2), "generated": (1, 1)}, "y": {"written": (0, 2), "generated": (0, 1)}}
    assert rates.notice_rate(found["x"]) == 0.5 and rates.words(found["x"]) == "1/2, generated 1/1"
    assert rates.notice_rate(None) is None and rates.words(None) == ""


def test_rates_are_kept_apart():
    every = {share.name: share for share in rates.shares()}
    first = json.loads(rates.FIRST_TRY.read_text())["first_tries"]
    assert list(every) == [*(one["name"] for one in first), "written", "generated"]
    for one in first:
        share = every[one["name"]]
        assert share[1:] == (*map(sum, zip(*one["kinds"].values(), strict=True)), one["definition"]), one["name"]
        assert share.noticed / share.tried < every["written"].noticed / every["written"].tried
    assert [one["date"] for one in first] == sorted((one["date"] for one in first), reverse=True)
    assert all(str(share) in rates.sentence() and share.definition in rates.sentence() for share in every.values())
    assert all(str(share).removeprefix(f"{share.name} ") in rates.brief() for share in every.values())


@pytest.mark.parametrize("text", ["", "[]", "{", '{"mutants": [1]}', '{"mutants": [{"name": "x"}]}', '{"mutants": {}}x'])
def test_broken_results_are_no_rates_and_one_line(write, tmp_path, capsys, text):
    write(entry())
    file = tmp_path / "results.json"
    file.write_text(text)
    assert rates.rates(file) == {} == rates.rates(tmp_path / "nowhere.json")
    assert main(["run", f"--out={file}"]) == 2
    assert "holds no results of mutants" in capsys.readouterr().err


def test_the_rate_stands_beside_the_verdict(pets, tmp_path, capsys):
    Results([one("p", True, claims=["counts"], by=["counts"]), one("q", False, claims=["counts"])]).write(pets / "mutants.json")
    assert cli.main(["show", "counts", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["notice_rate"] == 0.5
    assert cli.main(["verify", "--size=test", "--jobs=1", "--json", f"--out={tmp_path / 'run'}"]) == 0
    assert json.loads(capsys.readouterr().out)["verdicts"][0]["notice_rate"] == 0.5
    assert "1/2" in (tmp_path / "run" / "report.html").read_text()
    (pets / "mutants.json").write_text("broken")
    assert cli.main(["show", "counts", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["notice_rate"] is None


# choice


def test_a_sample_follows_its_seed_and_the_content_of_the_program(pets):
    many = [mutant(wrong=f"= {number}") for number in range(20)]
    assert sample(many, 5, "a") == sample(many, 5, "a") != sample(many, 5, "b")
    assert sample(many, 99, "a") == many and len({*sample(many, 19, "a")}) == 19
    before = content()
    assert content() == before
    (pets / "formulas.py").write_text(FORMULAS + "\n")
    assert content() != before


def test_subjects_and_claims_select(pets):
    first, second = mutant(), Mutant(**{**vars(mutant(wrong="= 4")), "subject": "dogs", "claims": ("others",)})
    assert select([first, second], []) == select([first, second], ["pets", "others"]) == [first, second]
    assert select([first, second], ["counts"]) == [first] and select([first, second], ["dogs"]) == [second]


@pytest.mark.needs("cosmic_ray")
def test_generated_mutants_change_mathematics_only(pets, monkeypatch):
    from experiments.mutants import generated

    monkeypatch.setattr(generated, "TARGETS", ("pets.",))
    names = ["spare", "subset_sizes", "sizes", "outer.inner"]
    found = generated.generated([mutant(at=f"pets.formulas.{name}", was="n", wrong="m") for name in names], 500, "0")
    assert {one.wrong.strip() for one in found if one.at.endswith("inner")} >= {"return k - 1", "return k * 1", "return k + 2"}
    assert not any(word in one.was for one in found for word in ("raise", "def ", "if n"))
    # what a check of another module is told stays, and what is done with what it returns does not
    assert all('counted("n", n + 3, "elements")' in one.wrong for one in found if one.at.endswith(".sizes"))
    assert any("counted" in one.was for one in found)
    assert all(mutated(one) and one.claims == ("counts",) and one.origin == "generated" for one in found)
    assert generated.generated([mutant(at="pets.formulas.outer")], 3, "1") == generated.generated(
        [mutant(at="pets.formulas.outer")], 3, "1"
    )


def test_networks_that_barely_train_are_asked_nothing(tmp_path):
    tried = campaign.Campaign(Results(), tmp_path / "results.json")
    assert tried._right("sixty_layers_train", "test")["outcome"] == "INCONCLUSIVE"  # and no process was started
    assert "INCONCLUSIVE" not in campaign.DECIDED["test"] and not (tmp_path / "results.json").exists()
