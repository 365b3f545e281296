"""Blocks of published kinds, from modules and files: right, or undecided, in every type; and every bad file refused by name."""

import json
import math

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

from depthjax import probe
from depthjax.probe.layers import PublishedReport
from depthjax.probe.published.kind import Diagonal
from depthjax.probe.published.kinds import KINDS
from depthjax.safetensors import DTYPES, read_safetensors
from tests.depthjax import published_layers as blocks
from tests.depthjax.published_layers import BLOCKS
from theory.automata.limits import LIMITS
from theory.lie import LieAlgebra

TYPES = {"float64": np.float64, "float32": np.float32, "bfloat16": ml_dtypes.bfloat16}
WIDTHS = {"s4d": 3, "s5": 3, "lru": 3, "gla": 8, "delta_net": 8, "delta_product": 8, "rwkv7": 8}


def drawn(kind, dtype="float64", seed=0, letters=2, **sizes):
    make, switches, *_ = BLOCKS[kind]
    draw = np.random.default_rng(seed)
    block = {name: np.asarray(array).astype(TYPES[dtype]) for name, array in make(draw, **sizes).items()}
    return block, {"letters": draw.normal(size=(letters, sizes.get("width", WIDTHS.get(kind, 4))))} | switches


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kind", BLOCKS)
def test_every_kind_at_its_initialisation(kind, dtype):
    block, how = drawn(kind, dtype)
    report = probe.layer(block, **how)
    assert report.kind == kind and report.cls.name == BLOCKS[kind][2] and report.is_solvable is BLOCKS[kind][3]
    assert report.is_order_blind is False and report.dtypes == (dtype,)
    assert report.derived_length == (2 if report.is_solvable else None)
    if report.is_solvable:
        assert report.decisions["solvable"].standing == "certain" and report.derived_dimensions[-1] == 0
    assert json.loads(json.dumps(report.as_dict(), allow_nan=False))["kind"] == kind
    assert report.cls.cannot in repr(report) and "<table" in report._repr_html_()


def rational_dimensions(logs, drives):
    """The dimensions of the algebra of flows with these logarithms and drives, in exact arithmetic."""
    import sympy

    letters = []
    for row, drive in zip(logs, drives, strict=True):
        size = len(row)
        paired = np.iscomplexobj(logs)
        whole = sympy.zeros(size * (2 if paired else 1) + 1)
        for i, (a, b) in enumerate(zip(row, drive, strict=True)):
            parts = [sympy.Rational(float(part)) for part in (np.real(a), np.imag(a), np.real(b), np.imag(b))]
            if paired:
                whole[2 * i, 2 * i], whole[2 * i, 2 * i + 1] = parts[0], -parts[1]
                whole[2 * i + 1, 2 * i], whole[2 * i + 1, 2 * i + 1] = parts[1], parts[0]
                whole[2 * i, -1], whole[2 * i + 1, -1] = parts[2], parts[3]
            else:
                whole[i, i], whole[i, -1] = parts[0], parts[2]
        letters.append(whole)
    algebra = LieAlgebra.generated_by(letters)
    return algebra.dimension, algebra.derived_dimensions


def simple(numbers):
    """Numbers of few digits, so that exact arithmetic stays short; letters keep the ratios that matter."""
    return np.round(np.asarray(numbers) * 64) / 64


@pytest.mark.parametrize("paired", [False, True])
def test_dimensions_are_those_of_exact_arithmetic(paired):
    draw = np.random.default_rng(3)
    from depthjax.probe.generated import generated_by_logarithms
    from depthjax.probe.generated_algebra import usual_tolerance

    for letters, size in ((1, 2), (2, 1), (2, 3), (3, 2)):
        for repeated in (False, True):
            logs, drives = simple(-draw.uniform(0.02, 1, (letters, size))), simple(draw.normal(size=(letters, size)))
            if paired:
                logs, drives = (
                    logs + 1j * simple(draw.normal(size=logs.shape)),
                    drives + 1j * simple(draw.normal(size=logs.shape)),
                )
            if repeated:
                logs[:, -1] = logs[:, 0]
            slopes = logs / np.expm1(logs)
            found = generated_by_logarithms(logs, drives / slopes, usual_tolerance(4, 2.0**-52))
            dimension, derived = rational_dimensions(logs, drives)
            assert found.algebra.dimension.value == dimension
            assert tuple(one.value for one in found.algebra.derived) == tuple(derived)


@pytest.mark.parametrize(
    ("kind", "sizes"), [("mamba", {"width": 2, "states": 1, "expand": 1}), ("mamba", {"width": 1, "states": 2})]
)
def test_a_small_mamba_has_the_dimension_of_its_own_numbers(kind, sizes):
    block, how = drawn(kind, **sizes)
    report = probe.layer(block, **how)
    (part,) = report.transitions
    slopes = part.logs / np.expm1(part.logs)
    assert report.algebra_dimension == rational_dimensions(part.logs, slopes * part.drives)[0]


@pytest.mark.parametrize("states", [64, 256])
def test_wide_layers_with_tiny_steps_and_decays_near_one(states):
    for low, high in ((1e-3, 1e-1), (1e-9, 1e-8), (1e-14, 1e-13)):
        draw = np.random.default_rng(states)
        block = blocks.mamba(draw, width=2, states=states // 4, low=1e-3, high=1e-1)
        block["dt_proj.bias"] = np.log(np.expm1(np.exp(draw.uniform(np.log(low), np.log(high), 4))))
        block["dt_proj.weight"] *= 0.1
        report = probe.layer(block, letters=draw.normal(size=(2, 2)))
        assert report.is_solvable and report.is_order_blind is False and report.derived_length == 2
        assert report.derived_dimensions == (states + 2, states, 0)
    ring = blocks.lru(np.random.default_rng(0), states=states, low=0.9999, high=0.99999)
    report = probe.layer(ring, letters=np.random.default_rng(1).normal(size=(3, 3)))
    assert report.is_solvable and report.derived_length == 2 and report.algebra_dimension in (None, 2 * states + 1)


def test_the_naive_recurrence_says_the_same():
    for kind in ("mamba", "gla", "lru"):
        block, how = drawn(kind)
        report = probe.layer(block, **how)
        naive = report.recurrence()
        assert (naive.is_solvable, naive.is_order_blind) == (report.is_solvable, report.is_order_blind)
        assert naive.derived_dimensions in (report.derived_dimensions, (None,), (None, None))


def test_mamba_is_its_own_step():
    block, how = drawn("mamba")
    x, sizes = how["letters"][0], block["A_log"].shape
    (part,) = probe.layer(block, **how).transitions
    inner = (block["in_proj.weight"] @ x)[: sizes[0]]
    inner = block["conv1d.weight"][:, 0].sum(axis=1) * inner + block["conv1d.bias"]
    inner = inner / (1 + np.exp(-inner))
    selected = block["x_proj.weight"] @ inner
    step = np.log1p(np.exp(block["dt_proj.weight"] @ selected[:1] + block["dt_proj.bias"]))
    decay = np.exp(-step[:, None] * np.exp(block["A_log"]))
    drive = step[:, None] * inner[:, None] * selected[None, 1 : 1 + sizes[1]]
    np.testing.assert_allclose(part.weights[0], decay.ravel(), rtol=1e-12)
    np.testing.assert_allclose(part.drives[0], drive.ravel(), rtol=1e-10)


@pytest.mark.parametrize("sizes", [{}, {"heads": 4, "groups": 2}, {"beside": 4, "expand": 3}, {"taps": 1, "states": 1}])
def test_mamba2_is_its_own_step(sizes):
    """The step of one token as published, head by head, against the algebra of whole states and traces of their readouts."""
    block, how = drawn("mamba2", letters=3, **sizes)
    usual = {"groups": 1, "beside": 0, "heads": 2, "states": 4} | sizes
    groups, beside, heads, states = (usual[name] for name in ("groups", "beside", "heads", "states"))
    inner = block["out_proj.weight"].shape[1]
    ssm = inner - beside
    logs, drives = [], []
    for u in how["letters"]:
        rows = block["in_proj.weight"] @ u
        _, _, _, conv, dt = np.split(rows, np.cumsum([beside, beside, ssm, ssm + 2 * groups * states]))
        conv = block["conv1d.weight"].sum(axis=(1, 2)) * conv + block["conv1d.bias"]
        x, b, _ = np.split(conv / (1 + np.exp(-conv)), [ssm, ssm + groups * states])
        dt = np.log1p(np.exp(dt + block["dt_bias"]))
        logs.append([-dt[h] * np.exp(block["A_log"][h]) for h in range(heads)])
        per = ssm // heads
        drives.append(
            [dt[h] * np.outer(x[h * per : (h + 1) * per], b.reshape(groups, -1)[h // (heads // groups)]) for h in range(heads)]
        )
    report = probe.layer(block, **how, **({"ngroups": groups} if groups > 1 else {}))
    (part,) = report.transitions
    start = 0
    for h in range(heads):
        whole = np.array([drive[h].ravel() for drive in drives])
        size = next(
            n
            for n in range(1, whole.shape[1] + 1)
            if np.allclose(
                part.drives[:, start : start + n] @ part.drives[:, start : start + n].T, whole @ whole.T, rtol=1e-9, atol=1e-18
            )
        )
        np.testing.assert_allclose(part.logs[:, start : start + size], np.array(logs)[:, [h] * size], rtol=1e-12)
        start += size
    assert start == part.logs.shape[1]
    assert report.is_solvable and report.derived_length == 2 and report.layers("S3").number is None


def test_mamba2_steps_are_limited_as_its_module_says():
    block, how = drawn("mamba2")
    free = probe.layer(block, **how).transitions[0]
    held = probe.layer(block, **how, dt_limit=(0.01, 0.02)).transitions[0]
    assert (free.logs != held.logs).any()
    rates = -np.exp(block["A_log"])
    assert (held.logs[:, 0] >= rates[0] * 0.02 - 1e-15).all() and (held.logs[:, 0] <= rates[0] * 0.01 + 1e-15).all()
    other = probe.layer(block, **how, time_step_limit=(0.01, 0.02)).transitions[0]
    np.testing.assert_array_equal(other.logs, held.logs)
    for wrong in ((0.02, 0.01), (-1, 1), 0.1, "all"):
        with pytest.raises(ValueError, match=r"dt_limit .*: expected the least and the largest step"):
            probe.layer(block, **how, dt_limit=wrong)


@pytest.mark.needs("torch", "safetensors")
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_mamba2_of_a_module_and_of_files(dtype, tmp_path):
    import torch
    from safetensors.torch import save_file

    block, how = drawn("mamba2", "float32", heads=4, groups=2)
    tensors = {name: torch.tensor(array).to(getattr(torch, dtype)) for name, array in block.items()}
    module = torch.nn.Module()
    for name, tensor in tensors.items():
        owner, _, end = name.rpartition(".")
        if owner and not hasattr(module, owner):
            module.add_module(owner, torch.nn.Module())
        (module.get_submodule(owner) if owner else module).register_parameter(end, torch.nn.Parameter(tensor))
    module.ngroups, module.dt_limit, module.activation = 2, (0.01, 0.02), "silu"  # type: ignore[assignment]
    model = torch.nn.ModuleDict({"mixer": module})
    save_file({f"backbone.layers.0.mixer.{name}": tensor for name, tensor in tensors.items()}, tmp_path / "a.safetensors")
    np.savez(tmp_path / "a.npz", **{name: tensor.float().numpy() for name, tensor in tensors.items()})
    found = [probe.layer(model, **how)]
    found += [probe.layer(tmp_path / name, **how, ngroups=2, dt_limit=(0.01, 0.02)) for name in ("a.safetensors", "a.npz")]
    for report in found:
        assert report.kind == "mamba2" and report.cls.name == "positive" and report.is_solvable
        np.testing.assert_array_equal(report.transitions[0].logs, found[0].transitions[0].logs)
        np.testing.assert_array_equal(report.transitions[0].drives, found[0].transitions[0].drives)
    assert found[0].switches["dt_limit"] == (0.01, 0.02) and found[1].dtypes == (dtype,)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"A_log": np.ones((2, 4))}, "no block of"),
        ({"dt_bias": np.ones(3)}, "no block of"),
        ({"conv1d.weight": np.ones((9, 1, 4)), "conv1d.bias": np.ones(9)}, "expected rows for z, x, B, C and dt"),
        ({"conv1d.bias": np.ones(5)}, "do not fit each other"),
        ({"in_proj.weight": np.ones((5, 4))}, "expected rows for z, x, B, C and dt"),
        ({"x_proj.weight": np.ones((5, 4))}, "has no x_proj.weight"),
        ({"A_log": np.array([np.nan, 1])}, "A_log holds NaN"),
    ],
)
def test_what_is_no_mamba2_is_refused(change, said):
    block, how = drawn("mamba2")
    with pytest.raises(ValueError, match=said):
        probe.layer(block | change, **how)


def test_switches_of_mamba2_fit_the_block():
    block, how = drawn("mamba2")
    for switches, said in (({"ngroups": 3}, "ngroups=3 does not divide 2 heads"), ({"activation": "gelu"}, "has silu")):
        with pytest.raises(ValueError, match=said):
            probe.layer(block, **how, **switches)


def test_mamba2_needs_no_projection_out():
    block, how = drawn("mamba2", heads=4)
    alone = {name: array for name, array in block.items() if name not in ("out_proj.weight", "norm.weight", "D")}
    np.testing.assert_array_equal(*(probe.layer(each, **how).transitions[0].logs for each in (block, alone)))


@pytest.mark.parametrize("kind", ["delta_net", "delta_product", "rwkv7"])
def test_heads_keep_the_traces_of_their_states(kind):
    """In the basis of keys and values the state is another one; traces of products with its readouts are not."""
    block, how = drawn(kind)
    report = probe.layer(block, **how)
    keys = block[{"rwkv7": "key.weight"}.get(kind, "k_proj.weight")].shape[0]
    for part, own in zip(report.transitions, report.eigenvalues, strict=True):
        rest = np.sort_complex(own[0])
        assert part.matrices.shape[1] <= keys and np.abs(rest).max() <= 1 + 1e-9
    if kind == "delta_net":  # one factor: eigenvalues 1, ..., 1, 1 - b
        strength = 1 / (1 + np.exp(-block["b_proj.weight"] @ how["letters"][0]))
        for own, b in zip(report.eigenvalues, strength, strict=True):
            np.testing.assert_allclose(np.sort(own[0].real)[0], 1 - b, atol=1e-4)


def test_strengths_of_two_reflect():
    block, how = drawn("delta_net")
    assert probe.layer(block, **how, allow_neg_eigval=True).cls.name == "delta_product"
    keys = {"k_proj.weight": np.diag([1.0, 1, 0]), "q_proj.weight": np.eye(3), "v_proj.weight": np.zeros((3, 3))}
    strong = keys | {"b_proj.weight": np.array([[0.0, 0, 1]])}
    report = probe.layer(strong, letters=[[50.0, -50, 100], [-50, 50, 100]], allow_neg_eigval=True)
    assert report.decisions["eigenvalues"].value == "negative" and report.cls.name == "delta_product"


def test_one_gated_factor_does_not_reflect_unless_it_is_told_to():
    draw = np.random.default_rng(0)
    gated, letters = blocks.delta_product(draw, householders=1), draw.normal(size=(2, 8))
    assert probe.layer(gated, letters=letters).cls.name == "delta_net"
    told = probe.layer(gated, letters=letters, allow_neg_eigval=True)
    assert told.cls.name == "delta_product" and ("taken as given", "allow_neg_eigval=True") in [row[:2] for row in told.rows()]
    assert probe.layer(blocks.delta_product(draw), letters=letters).cls.name == "delta_product"


def test_a_coarse_tolerance_leaves_open_what_it_hides():
    block, how = drawn("mamba", states=3, width=2)
    exact = probe.layer(block, **how)
    same = probe.layer(block, **how, tolerance=1e-12)
    coarse = probe.layer(block, **how, tolerance=0.01)
    assert same.derived_dimensions == exact.derived_dimensions
    assert coarse.is_solvable and coarse.algebra_dimension in (None, exact.algebra_dimension)
    assert coarse.decisions["solvable"].standing == "certain"


def test_other_spellings_of_one_block():
    block, how = drawn("rwkv7")
    theirs = {"w": "w_lora.lora", "a": "a_lora.lora", "v": "v_lora.lora"}
    fla = {name: array for name, array in block.items() if name[0] == "x" or name in ("k_k", "k_a", "r_k")}
    for letter, path in theirs.items():
        fla |= {f"{path}.0.weight": block[f"{letter}1"].T, f"{path}.2.weight": block[f"{letter}2"].T}
        fla[f"{path}.2.bias"] = block[f"{letter}0"].ravel()
    fla |= {f"{letter}_proj.weight": block[f"{name}.weight"] for letter, name in {"k": "key", "v": "value"}.items()}
    assert probe.layer(fla, **how).decisions == probe.layer(block, **how).decisions

    mamba, how = drawn("mamba")
    nested = {f"ssm.{name}" if name[:2] in ("x_", "dt", "A_") else name: array for name, array in mamba.items()}
    nested["conv1d.bias"] = nested["conv1d.bias"][:, None]  # as equinox has it
    flax = {name.replace("weight", "kernel"): array.T if name.endswith("weight") else array for name, array in mamba.items()}
    plain = probe.layer(mamba, **how)
    for source in ({f"mixer.{name}": array for name, array in nested.items()}, flax):
        assert probe.layer(source, **how).decisions == plain.decisions
    with_bias = mamba | {"x_proj.bias": np.ones(9)}
    assert not np.allclose(probe.layer(with_bias, **how).transitions[0].logs, plain.transitions[0].logs)
    assert probe.layer({f"a.b.{name}": array for name, array in mamba.items()}, **how, path="a.b.").root == "a.b"


@pytest.mark.parametrize("make", [blocks.pd_ssm, blocks.pd_ssm_columns])
def test_permutation_diagonal_transitions_have_one_entry(make):
    draw = np.random.default_rng(5)
    report = probe.layer(make(draw), letters=draw.normal(size=(3, 4)))
    (part,) = report.transitions
    axis = 1 if make is blocks.pd_ssm_columns else 2
    assert report.cls.name == "pd" and ((part.matrices != 0).sum(axis=axis) == 1).all()
    assert report.layers("A5").number == 1


def test_random_dense_layers_are_not_solvable_and_linearisations_are_sampled():
    block, how = drawn("m2rnn")
    report = probe.layer(block, **how)
    assert report.is_solvable is False and report.decisions["solvable"].standing == "sampled"
    still = probe.layer(block, **how, states=np.zeros((1, 4)))
    assert len(still.heads[0].generators) == 2 and len(report.heads[0].generators) == 6


def test_a_wide_head_is_not_solvable_and_its_dimension_stays_open():
    draw = np.random.default_rng(0)
    report = probe.layer(blocks.rwkv7(draw, width=32, heads=1), letters=draw.normal(size=(2, 32)))
    assert report.is_solvable is False and report.algebra_dimension is None and report.is_order_blind is False
    assert "not closed" in report.decisions["dimension"].why


def test_windows_of_letters():
    block, how = drawn("mamba", taps=2)
    whole = probe.layer(block, **how, windows=True)
    assert whole.letters == ("0 0", "0 1", "1 0", "1 1") and whole.is_solvable
    runs = probe.layer(block, **how)
    np.testing.assert_allclose(whole.transitions[0].logs[[0, 3]], runs.transitions[0].logs, rtol=1e-12)
    with pytest.raises(ValueError, match="more than 256"):
        probe.layer(*[drawn("mamba")[0]], letters=np.ones((5, 4)), windows=True)


def test_equal_letters_commute_and_one_letter_is_abelian():
    block, how = drawn("mamba")
    same = probe.layer(block, letters=np.stack([how["letters"][0]] * 2))
    assert same.is_order_blind and same.derived_length == 1 and same.decisions["order-blind"].standing == "certain"
    alone = probe.layer(block, letters=how["letters"][:1])
    assert alone.is_order_blind and alone.derived_length == 1
    near = probe.layer(block, letters=how["letters"][:1] + np.array([[0.0], [1e-16]]))
    assert near.is_order_blind in (True, None)  # the difference is rounding


@pytest.mark.parametrize("kind", ["mamba", "gla", "delta_net", "delta_product", "rwkv7", "lru"])
def test_letters_that_are_alike_are_never_said_to_differ(kind):
    block, how = drawn(kind)
    one = how["letters"][0]
    for letters in (np.stack([one] * 3), np.stack([one, one * (1 + 1e-16), one])):
        same = probe.layer(block, letters=letters)
        assert same.is_order_blind in (True, None) and same.derived_length in (1, None) and same.is_solvable is not False
    mixed = probe.layer(block, letters=np.stack([one, one, how["letters"][1]]))
    plain = probe.layer(block, **how)
    dimensions = mixed.derived_dimensions, plain.derived_dimensions
    assert None in dimensions[0] or dimensions[0] == dimensions[1]


def test_what_the_class_says_of_tasks():
    block, how = drawn("mamba")
    report = probe.layer(block, **how)
    assert report.layers("parity").number is None and report.layers("flip_flop").number == 1
    assert report.layers("regex:(ab)*").number == 2 and set(LIMITS) > {kind[2] for kind in BLOCKS.values()}
    with pytest.raises(ValueError, match="no semiautomaton"):
        report.layers("nothing")


def as_torch(block):
    torch = pytest.importorskip("torch")
    return {name: torch.tensor(np.asarray(array, float)).to(torch.bfloat16) for name, array in block.items()}


def nested(block):
    found = {}
    for name, array in block.items():
        inside = found
        *path, last = name.split(".")
        for part in path:
            inside = inside.setdefault(part, {})
        inside[last] = array
    return found


def test_files_and_mappings_say_the_same(tmp_path):
    block, how = drawn("mamba", "float32")
    np.savez(tmp_path / "block.npz", **block)
    plain = probe.layer(block, **how)
    prefixed = {f"backbone.layers.{n}.mixer.{name}": array for n in (0, 1) for name, array in block.items()}
    prefixed["backbone.embedding.weight"] = np.ones((5, 4), np.float32)
    write_safetensors(tmp_path / "model.safetensors", prefixed)
    sources = [
        (tmp_path / "block.npz", {}),
        (str(tmp_path / "model.safetensors"), {"path": "backbone.layers.1.mixer"}),
        ({"params": nested(block)}, {}),
    ]
    for source, more in sources:
        report = probe.layer(source, **how, **more)
        assert report.decisions == plain.decisions and report.root == more.get("path", "")
    with pytest.raises(ValueError, match=r"2 blocks of mamba are there: choose one by path=, one of 'backbone.layers.0.mixer'"):
        probe.layer(tmp_path / "model.safetensors", **how)


def write_safetensors(path, arrays, header=None):
    """A writer of the format, by its specification."""
    names = {np.dtype(dtype): name for name, dtype in DTYPES.items()}
    told, body = {"__metadata__": {"format": "np"}}, b""
    for name, array in arrays.items():
        array = np.asarray(array)
        told[name] = {
            "dtype": names[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [len(body), len(body) + array.nbytes],
        }
        body += array.tobytes()
    text = json.dumps(told if header is None else header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)


def test_safetensors_of_every_type_come_back(tmp_path):
    draw = np.random.default_rng(0)
    arrays = {name: draw.integers(0, 2, (2, 3)).astype(dtype) for name, dtype in DTYPES.items()} | {"none": np.zeros((0, 4))}
    arrays |= {"scalar": np.float32(2.5)[()] * np.ones((), np.float32)}
    write_safetensors(tmp_path / "all.safetensors", arrays)
    found = read_safetensors(tmp_path / "all.safetensors")
    assert list(found) == list(arrays) and all((found[name] == array).all() for name, array in arrays.items())
    assert all(found[name].dtype == array.dtype and found[name].shape == array.shape for name, array in arrays.items())


@pytest.mark.needs("safetensors")
def test_the_files_of_the_library_are_read(tmp_path):
    from safetensors.numpy import save_file

    arrays = {"a.b": np.arange(6.0).reshape(2, 3), "c": np.arange(4, dtype=np.int32)}
    save_file(arrays, tmp_path / "theirs.safetensors", metadata={"what": "a test"})
    found = read_safetensors(tmp_path / "theirs.safetensors")
    assert all((found[name] == array).all() for name, array in arrays.items()) and set(found) == set(arrays)


BROKEN = [
    (b"", "cut off"),
    (b"\x05\x00", "cut off"),
    (b"\xff" * 16, "cut off"),
    ((2).to_bytes(8, "little") + b"[]", "no object"),
    ((3).to_bytes(8, "little") + b"{a}", "header cannot be read"),
    ((2).to_bytes(8, "little") + b"\xff\xfe", "header cannot be read"),
]
HEADERS = [
    ({"a": {"dtype": "F64", "shape": [2], "data_offsets": [0, 8]}}, "takes 16 bytes, and the file has 8"),
    ({"a": {"dtype": "F64", "shape": [9], "data_offsets": [0, 72]}}, "cut off"),
    ({"a": {"dtype": "F4", "shape": [2], "data_offsets": [0, 8]}}, "type 'F4' are not known"),
    ({"a": {"dtype": "F64", "shape": [-1], "data_offsets": [0, 8]}}, "integers from 0 on"),
    ({"a": {"dtype": "F64", "shape": [1], "data_offsets": [8, 0]}}, "takes 8 bytes"),
    ({"a": {"dtype": "F64", "shape": [1]}}, "expected dtype, shape"),
    ({"a": [1, 2]}, "expected dtype, shape"),
    ({"__metadata__": {}}, "holds no parameters"),
]


@pytest.mark.parametrize(("raw", "words"), BROKEN)
def test_files_that_are_not_of_the_format_are_refused(raw, words, tmp_path):
    path = tmp_path / "broken.safetensors"
    path.write_bytes(raw)
    with pytest.raises(ValueError, match=words):
        probe.parameters(path)


@pytest.mark.parametrize(("header", "words"), HEADERS)
def test_headers_that_do_not_fit_their_file_are_refused(header, words, tmp_path):
    path = tmp_path / "wrong.safetensors"
    write_safetensors(path, {"a": np.zeros(1)}, header)
    with pytest.raises(ValueError, match=words):
        probe.parameters(path)


def test_modules_of_every_library():
    block, how = drawn("lru")
    plain = probe.layer(block, **how)

    import equinox as eqx
    import flax.linen as nn
    from flax import nnx

    wanted = {name: np.asarray(array, np.float32) for name, array in block.items()}

    class Equinox(eqx.Module):
        nu_log: jax.Array
        theta_log: jax.Array
        gamma_log: jax.Array
        B_re: jax.Array
        B_im: jax.Array
        C_re: jax.Array
        C_im: jax.Array
        D: jax.Array
        name: str = "LRU"

    class Nnx(nnx.Module):
        def __init__(self):
            for name, array in wanted.items():
                setattr(self, name, nnx.Param(jnp.asarray(array)))

    class Linen(nn.Module):
        @nn.compact
        def __call__(self):
            return [self.param(name, lambda key, array=array: jnp.asarray(array)) for name, array in wanted.items()]

    sources = [
        Equinox(**{name: jnp.asarray(array) for name, array in wanted.items()}),
        Nnx(),
        Linen().bind(Linen().init(jax.random.key(0))),
        Linen().init(jax.random.key(0)),
        {"lru/~/cell": wanted},
    ]
    for source in sources:
        report = probe.layer(source, **how)
        assert report.derived_dimensions == plain.derived_dimensions and report.dtypes == ("float32",)
    with pytest.raises(TypeError, match="has no variables"):
        probe.layer(Linen(), **how)


@pytest.mark.needs("torch")
def test_modules_of_torch_say_their_switches():
    import torch

    block, how = drawn("delta_net")

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.allow_neg_eigval = True
            for name, array in block.items():
                owner, _, last = name.partition(".")
                if not hasattr(self, owner):
                    setattr(self, owner, torch.nn.Module())
                getattr(self, owner).register_parameter(
                    last, torch.nn.Parameter(torch.tensor(np.asarray(array)).to(torch.bfloat16))
                )

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList([Net(), Net()])

    report = probe.layer(Net(), **how)
    assert report.cls.name == "delta_product" and report.kind == "delta_net"
    inside = probe.layer(Model(), **how, path="layers.1")
    assert inside.cls.name == "delta_product" and inside.decisions == report.decisions
    assert probe.layer(Net(), **how, allow_neg_eigval=False).cls.name == "delta_net"
    assert probe.layer(as_torch(block), **how).is_solvable is False


def changed(kind, **parts):
    block, how = drawn(kind)
    block = {name: array for name, array in block.items() if parts.get(name, "kept") is not None} | {
        name: part for name, part in parts.items() if part is not None
    }
    return lambda: probe.layer(block, **how)


BAD = [
    (lambda: probe.layer(drawn("mamba")[0]), ValueError, "letters= is missing: .* an array \\(letters, 4\\)"),
    (lambda: probe.layer(drawn("mamba")[0], letters=np.ones((2, 5))), ValueError, "reads vectors of 4 numbers"),
    (lambda: probe.layer(drawn("mamba")[0], letters=np.ones(4)), ValueError, "reads vectors of 4 numbers"),
    (lambda: probe.layer(drawn("mamba")[0], letters=np.zeros((0, 4))), ValueError, "reads vectors of 4 numbers"),
    (lambda: probe.layer(drawn("mamba")[0], letters=[[math.nan] * 4]), ValueError, "letters holds NaN"),
    (lambda: probe.layer(drawn("mamba")[0], letters=[["a"] * 4]), ValueError, "expected real numbers"),
    (lambda: probe.layer(drawn("mamba")[0], "manba", letters=np.ones((2, 4))), ValueError, "did you mean 'mamba'"),
    (
        lambda: probe.layer(drawn("mamba")[0], "gla", letters=np.ones((2, 4))),
        ValueError,
        "no block of gla: it lacks k_proj.weight",
    ),
    (
        lambda: probe.layer(drawn("mamba")[0], letters=np.ones((2, 4)), path="nowhere"),
        ValueError,
        "nothing lies under 'nowhere'",
    ),
    (lambda: probe.layer(drawn("mamba")[0], letters=np.ones((2, 4)), num_heads=2), TypeError, "has no switch 'num_heads'"),
    (lambda: probe.layer(drawn("gla")[0], letters=np.ones((2, 8)), num_heads=3), ValueError, "does not divide"),
    (lambda: probe.layer(drawn("gla")[0], letters=np.ones((2, 8)), numheads=2), TypeError, "did you mean 'num_heads'"),
    (lambda: probe.layer(drawn("s5")[0], letters=np.ones((2, 3)), discretization="euler"), ValueError, "one of zoh, bilinear"),
    (lambda: probe.layer(drawn("m2rnn")[0], letters=np.ones((2, 4))), ValueError, "num_query_heads.*give them"),
    (changed("mamba", A_log=None), ValueError, "no block of .*; the nearest is mamba: it lacks A_log; found"),
    (changed("mamba", rotary=np.ones(3)), ValueError, "a block of mamba has no rotary: expected A_log, x_proj.weight"),
    (changed("mamba", A_log=np.full((8, 4), math.nan)), ValueError, "A_log holds NaN"),
    (changed("mamba", A_log=np.ones((8, 3))), ValueError, "x_proj has 9 rows: expected 1 for dt"),
    (changed("lru", B_re=np.ones((5, 3))), ValueError, "do not fit each other"),
    (changed("delta_net", **{"k_proj.weight": np.ones((8, 7))}), ValueError, "do not fit each other|reads vectors"),
    (changed("rwkv7", key=np.array(["a"])), ValueError, "no numbers"),
    (
        changed("mamba", **{"dt_proj.bias": np.full(8, 1e200), "A_log": np.full((8, 4), 700.0)}),
        ValueError,
        "exponentials overflow",
    ),
    (lambda: probe.layer(drawn("mamba")[0], letters=np.ones((2, 4)), tolerance=2.0), ValueError, "between 0 and 1"),
    (lambda: probe.layer({}, letters=np.ones((2, 4))), ValueError, "holds no parameters"),
    (lambda: probe.layer(np.ones(3), letters=np.ones((2, 4))), TypeError, "no parameters by name"),
    (lambda: probe.layer("weights.pt", letters=np.ones((2, 4))), ValueError, "save by safetensors"),
    (lambda: probe.layer("nowhere.npz", letters=np.ones((2, 4))), OSError, "nowhere"),
]


@pytest.mark.parametrize(("call", "error", "words"), BAD)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_s5_by_either_rule_and_clipped():
    block, how = drawn("s5")
    zoh, bilinear = (probe.layer(block, **how, discretization=rule) for rule in ("zoh", "bilinear"))
    values, step = block["Lambda_re"] + 1j * block["Lambda_im"], np.exp(block["log_step"][:, 0])
    np.testing.assert_allclose(zoh.transitions[0].weights[0], np.exp(step * values), rtol=1e-12)
    np.testing.assert_allclose(
        bilinear.transitions[0].weights[0], (1 + step / 2 * values) / (1 - step / 2 * values), rtol=1e-12
    )
    unstable = block | {"Lambda_re": np.full(4, 0.5)}
    assert np.abs(probe.layer(unstable, **how).eigenvalues[0]).max() > 1
    assert np.abs(probe.layer(unstable, **how, clip_eigs=True).eigenvalues[0]).max() < 1


def test_a_page_and_a_report_of_every_shape(tmp_path):
    for kind in ("lru", "delta_net", "m2rnn"):
        block, how = drawn(kind)
        report = probe.layer(block, **how)
        text = report.page(tmp_path / f"{kind}.html").read_text()
        assert isinstance(report, PublishedReport) and report.cls.can in text and "<script" not in text
        assert isinstance(report.transitions[0], Diagonal) is not bool(report.heads)
        with pytest.raises(ValueError, match="does not exist"):
            report.recurrence(9)
    assert set(BLOCKS) | {"pd_ssm"} == set(KINDS)
