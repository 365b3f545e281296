"""Weights in files: read by another reader, run by numpy alone, refused where a format cannot hold them."""

import dataclasses
import json
import typing

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from flax.core import FrozenDict

from depthjax.constructions import compile_formula, hop_transformer, load_weights, save_weights


def by_numpy(arrays, model, word):
    """The logits of a transformer from the arrays and the manifest alone; `word` is a list of letters."""
    tokens = [len(arrays["letters"]) - 1, *word]
    stream = arrays["letters"][tokens] + arrays["positions"][: len(tokens)]
    place = np.arange(len(tokens))
    for number, mask in enumerate(model["masks"]):
        get = lambda name, number=number: arrays.get(f"layers.{number}.{name}")  # noqa: E731
        seen = {"strict": place < place[:, None], "causal": place <= place[:, None], "full": np.ones((len(place),) * 2, bool)}[
            mask
        ]
        seen = seen | ((place == 0) & (place[:, None] == 0))
        scores = np.where(seen, (stream @ get("heads.query")) @ (stream @ get("heads.key")).T, -np.inf)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        kept = 1 if get("heads.kept") is None else get("heads.kept")
        stream = kept * stream + weights @ (stream @ get("heads.value")) @ get("heads.output")
        numbers = np.round(stream @ get("units.gather"))
        kept = 1 if get("units.kept") is None else get("units.kept")
        written = numbers if get("units.write") is None else numbers @ get("units.write")
        stream = kept * stream + written
    return (stream @ arrays["unembedding"] + arrays["bias"])[1:]


@pytest.mark.parametrize("suffix", [".npz", ".safetensors"])
@pytest.mark.parametrize(("hops", "mask"), [(1, "strict"), (2, "causal"), (3, "strict")])
def test_numpy_runs_a_transformer_from_its_file(hops, mask, suffix, tmp_path):
    model, weights = hop_transformer(hops, length=12, alphabet=3, mask=mask)
    save_weights(tmp_path / f"hop{suffix}", weights, model)
    arrays, manifest = load_weights(tmp_path / f"hop{suffix}")
    words = np.random.default_rng(0).integers(0, 3, (5, 12))
    for word, logits in zip(words, model.apply(weights, jnp.asarray(words)), strict=True):
        assert (by_numpy(arrays, manifest["model"], word.tolist()).argmax(axis=1) == np.argmax(logits, axis=1)).all()
    assert manifest["kind"] == "CompiledTransformer" and manifest["model"]["alphabet"] == 3
    assert [tuple(field) for field in manifest["model"]["fields"]] == list(model.fields)


@pytest.mark.needs("safetensors")
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_another_reader_reads_the_same_arrays(dtype, tmp_path):
    from safetensors import safe_open

    tree = {"a": jnp.arange(6, dtype=dtype).reshape(2, 3), "b": (np.array([True, False]), np.arange(3)), "none": None}
    save_weights(tmp_path / "mine.safetensors", tree)
    with safe_open(tmp_path / "mine.safetensors", "np") as file:
        assert sorted(file.keys()) == ["a", "b.0", "b.1"]
        assert json.loads(file.metadata()["__manifest__"])["arrays"]["a"]["dtype"] == dtype
        if dtype != "bfloat16":
            assert (file.get_tensor("a") == np.asarray(tree["a"])).all()
        assert file.get_tensor("b.1").tolist() == [0, 1, 2] and file.get_tensor("b.0").dtype == bool
    arrays, _ = load_weights(tmp_path / "mine.safetensors")
    assert arrays["a"].dtype == np.dtype(dtype) and (arrays["a"] == np.asarray(tree["a"])).all()


@pytest.mark.needs("safetensors")
def test_a_file_of_another_writer_is_read(tmp_path):
    from safetensors.numpy import save_file

    save_file({"x": np.eye(2, dtype=np.float32)}, tmp_path / "theirs.safetensors")
    arrays, manifest = load_weights(tmp_path / "theirs.safetensors")
    assert manifest == {} and (arrays["x"] == np.eye(2)).all()


def test_a_compiled_formula_comes_back_whole(tmp_path):
    from theory.logic import parse
    from theory.logic.program import program

    compiled = compile_formula(program(parse("a S (b & P a)"), "ab"))
    save_weights(tmp_path / "formula.npz", compiled)
    arrays, _ = load_weights(tmp_path / "formula.npz")
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(compiled)]
    assert len(arrays) == len(leaves) and all(any(np.array_equal(a, leaf) for leaf in leaves) for a in arrays.values())


class Named(typing.NamedTuple):
    kernel: typing.Any
    scale: float


@pytest.mark.parametrize("suffix", [".npz", ".safetensors"])
def test_trees_of_other_libraries_and_numbers_are_kept(tmp_path, suffix):
    tree = FrozenDict({"a": Named(np.ones((2, 1)), 0.5), "b": [True, np.float32(2)], "c": torch_like(np.arange(3))})
    manifest = save_weights(tmp_path / f"x{suffix}", tree)
    arrays, read = load_weights(tmp_path / f"x{suffix}")
    assert read == manifest and list(arrays) == ["a.kernel", "a.scale", "b.0", "b.1", "c"]
    assert arrays["a.scale"] == 0.5 and arrays["b.0"] and arrays["b.1"] == 2 and arrays["c"].tolist() == [0, 1, 2]


def test_the_manifest_is_what_a_reader_gets(tmp_path):
    model, weights = hop_transformer(2, 8, 4)
    manifest = save_weights(tmp_path / "hop.npz", weights, model)
    assert load_weights(tmp_path / "hop.npz")[1] == manifest and manifest["model"]["masks"] == list(model.masks)


def torch_like(array):
    """An array of another library, which numpy reads."""

    class Tensor:
        shape = array.shape

        def __array__(self, dtype=None, copy=None):
            return array

    return Tensor()


def test_what_a_format_cannot_hold_is_refused(tmp_path):
    @dataclasses.dataclass
    class Wild:
        a: np.ndarray

    for name, tree, said in (
        ("x.npz", {}, "one array at least"),
        ("x.bin", [np.ones(1)], r"ends in \.npz or \.safetensors"),
        ("x.npz", [np.ones(1, ml_dtypes.bfloat16)], "0 is bfloat16"),
        ("x.npz", [np.ones(1, ml_dtypes.float8_e4m3fn)], "0 is float8_e4m3fn"),
        ("x.npz", {"a": np.array([None])}, "a is object"),
        ("x.npz", {"a": jax.random.key(0)}, "a is no array that numpy reads"),
        ("x.npz", {"a.b": np.ones(2), "a": {"b": np.zeros(3)}}, "a.b: two arrays would have this name"),
        ("x.npz", {"__manifest__": np.ones(2)}, "the manifest has this name"),
        ("x.safetensors", Wild(np.ones(1, complex)), "a is complex128"),
    ):
        with pytest.raises(ValueError, match=said):
            save_weights(tmp_path / name, tree)
        assert not (tmp_path / name).exists()
    for name, content, said in (
        ("y.npz", b"nothing", "no file of arrays"),
        ("y.npz", b"", "no file of arrays"),
        ("y.safetensors", b"", "8 bytes say how long its header is, and it has 0"),
        ("y.safetensors", b"\xff" * 20, "its header would have"),
        ("y.safetensors", (10).to_bytes(8, "little") + b"not json!!", "no safetensors file"),
        ("y.safetensors", _cut(), "is cut off"),
        ("y.txt", b"", "ends in"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=said):
            load_weights(tmp_path / name)


def _cut():
    header = json.dumps({"x": {"dtype": "F32", "shape": [9], "data_offsets": [0, 36]}}).encode()
    return len(header).to_bytes(8, "little") + header + b"\0" * 20
