"""`depthjax trace`, and the bounds of k-hop at the command line."""

import json

import pytest


def test_trace_reads_as_words(run):
    code, out, err = run("trace", "abacab", "--hops", 2, "--mask", "strict")
    lines = [line.split() for line in out.splitlines()]
    assert (code, err) == (0, "")
    titles = [" ".join(line) for line in lines if line[0] == "layer"]
    masks = ("strict", "causal", "causal")
    assert [title.split(",")[0] for title in titles] == [f"layer {i} ({mask} mask)" for i, mask in enumerate(masks, 1)]
    rows = [line for line in lines if line[0] in ("pointer", "token")]
    # find^1 = 0 0 2 0 4 3 after layer 1: behind the last a, b or c; then what is found there
    assert rows[0] == ["pointer", "0", "0", "2", "0", "4", "3"]
    assert rows[1] == ["token", *"abacab"]
    assert rows[2][1:] == ["0", "0", "0", "0", "0", "2"]
    # hop_2 is the letter at find^2: only the last position has gone two steps
    assert rows[-1] == ["token", "none", "none", "none", "none", "none", "b"]


def test_trace_of_a_long_word_shows_every_position_in_a_narrow_terminal(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    _, out, _ = run("trace", "abac" * 12, "--hops", 2)
    assert max(map(len, out.splitlines())) <= 60
    rows = [line.split() for line in out.splitlines()]
    positions = [int(number) for row in rows if row[0] == "position" for number in row[1:]]
    assert positions == 3 * [*range(1, 49)]


def test_trace_in_json(run):
    code, out, err = run("trace", "abracadabra", "--hops", 3, "--mask", "causal", "--json")
    layers = json.loads(out)
    assert (code, err) == (0, "")
    assert [layer["layer"] for layer in layers] == [1, 2, 3, 4]
    assert all(len(values) == 11 for layer in layers for values in (*layer["looks_at"].values(), *layer["knows"].values()))
    assert layers[1]["knows"]["token"] == ["none", "none", "none", "b", "none", "c", "none", "d", "r", "a", "b"]
    assert all(0.9 < layer["least_weight"] <= 1 for layer in layers)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["trace", "abab", "--hops", 0], "hops must be at least 1"),
        (["trace", "abab", "--hops", 5], "at most length = 4"),
        (["trace", "aaaa", "--hops", 1], "alphabet must be at least 2"),
        (["trace", "", "--hops", 1], "length must be at least 1"),
        (["trace", "abab", "--mask", "sideways"], "sideways"),
        (["bound", "hop", "--hops", 0], "hops"),
        (["bound", "hop", "--hops", 9, "--length", 8], "hops <= length"),
        (
            ["bound", "hop", "--hops", 3, "--length", 5000],
            "length <= 4096, the largest N with N^2 exact in float32 (float64 would",
        ),
        (["bound", "hop", "--hops", 3, "--length", 100, "--dtype", "bfloat16"], "length <= 16"),
        (["bound", "hop", "--hops", 3, "--dtype", "int8"], "int8"),
        (["bound", "one-layer", "--heads", 0, "--width", 1, "--bits", 1], "heads"),
        (["bound", "one-layer", "--heads", 1, "--width", 16, "--bits", 32, "--length", 64], "vacuous here"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_bad_input_is_one_line_and_code_2(run, arguments, words):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        (["hop", "--hops", 3, "--mask", "strict", "--length", 512, "--dtype", "float32"], 3),
        (["hop", "--hops", 3, "--mask", "causal", "--length", 5000, "--dtype", "float64"], 4),
        (["one-layer", "--heads", 2, "--width", 3, "--bits", 4], 65),
        (["one-layer", "--heads", 2, "--width", 3, "--bits", 4, "--length", 66], 65),
    ],
)
def test_bounds_in_three_forms(run, arguments, value):
    facts = json.loads(run("bound", *arguments, "--json")[1])
    assert facts["value"] == value
    assert all(hypothesis["holds"] for hypothesis in facts["hypotheses"])
    assert run("bound", *arguments, "--latex")[1].strip() == facts["latex"]
    text = " ".join(run("bound", *arguments)[1].split())
    assert all(hypothesis["statement"] in text for hypothesis in facts["hypotheses"])


def test_trace_of_a_formula_and_of_an_automaton(run, tmp_path):
    code, out, err = run("trace", "babba", "--formula", "a S (b & P a)", "--figure", tmp_path / "trace.png", "--json")
    layers = json.loads(out)
    assert (code, err) == (0, "") and (tmp_path / "trace.png").stat().st_size > 1000
    assert layers[0]["looks_at"] == {"P a": [0, 1, 2, 2, 2]}  # a, if one was there, else the letter before
    assert layers[1]["knows"] == {"a S (b & P a)": [False, False, False, True, True]}
    door = {"table": {"open": {"lock": "shut", "wait": "open"}, "shut": {"lock": "open", "wait": "shut"}}, "name": "door"}
    (tmp_path / "door.json").write_text(json.dumps(door))
    code, out, err = run("trace", "lock wait lock", "--automaton", tmp_path / "door.json")
    assert (code, err) == (0, "") and "{shut}" in out and "layer 1: C2" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["trace", "ab", "--formula", "a", "--hops", 1], "give one of"),
        (["trace", "ab", "--formula", "a &"], "expected a formula"),
        (["trace", "xy", "--formula", "a"], "letter 'x' at place 1 is unknown"),
        (["trace", "01", "--automaton", "S5"], "every group inside is solvable; S5 holds"),
    ],
)
def test_bad_networks_are_one_line_and_code_2(run, arguments, words):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "") and words in err and len(err.splitlines()) == 1
