"""`depthjax trace`, and the bounds of k-hop at the command line."""

import json


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
    layers = json.loads(out)["layers"]
    assert (code, err) == (0, "")
    assert [layer["layer"] for layer in layers] == [1, 2, 3, 4]
    assert all(len(values) == 11 for layer in layers for values in (*layer["looks_at"].values(), *layer["knows"].values()))
    assert layers[1]["knows"]["token"] == ["none", "none", "none", "b", "none", "c", "none", "d", "r", "a", "b"]
    assert all(0.9 < layer["least_weight"] <= 1 for layer in layers)


def test_trace_of_a_formula_and_of_an_automaton(run, tmp_path):
    code, out, err = run("trace", "babba", "--formula", "a S (b & P a)", "--figure", tmp_path / "trace.png", "--json")
    layers = json.loads(out)["layers"]
    assert (code, err) == (0, "") and (tmp_path / "trace.png").stat().st_size > 1000
    assert layers[0]["looks_at"] == {"P a": [0, 1, 2, 2, 2]}  # a, if one was there, else the letter before
    assert layers[1]["knows"] == {"a S (b & P a)": [False, False, False, True, True]}
    door = {"table": {"open": {"lock": "shut", "wait": "open"}, "shut": {"lock": "open", "wait": "shut"}}, "name": "door"}
    (tmp_path / "door.json").write_text(json.dumps(door))
    code, out, err = run("trace", "lock wait lock", "--automaton", tmp_path / "door.json")
    assert (code, err) == (0, "") and "{shut}" in out and "layer 1: C2" in out
