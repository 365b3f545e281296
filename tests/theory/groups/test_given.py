"""Groups from tables of GAP, matrices over finite fields, cycles and files; written and read again; refused by name."""

import json
import re
from fractions import Fraction

import numpy as np
import pytest
from sympy import GF, Matrix
from sympy.combinatorics.named_groups import SymmetricGroup
from sympy.polys.matrices import DomainMatrix

from theory import bounds
from theory.groups import FiniteGroup, finite_group, group, write_group
from theory.groups.given import gap_table

NAMES = ["C1", "C2", "S3", "Q8", "A4", "C3xC3", "SL2_3"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("suffix", [".g", ".gap", ".json", ".csv"])
def test_what_is_written_is_read_again(name, suffix, tmp_path):
    path = write_group(group(name), tmp_path / f"mine{suffix}")
    for given in (path, str(path)):
        assert (finite_group(given).table == group(name).table).all()


def test_every_form_of_the_klein_group_is_the_same(tmp_path):
    table = [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]]
    from_one = [[entry + 1 for entry in row] for row in table]
    texts = {
        "a.json": json.dumps(table),
        "b.json": json.dumps({"table": from_one, "name": "mine"}),
        "c.csv": "".join(",".join(map(str, row)) + "\n" for row in table),
        "d.txt": "\n".join("  ".join(map(str, row)) for row in from_one),
        "e.tsv": "\n".join("\t".join(map(str, row)) for row in table),
        "f.g": "# from GAP\nM :=\n[ [ 1, 2, 3, 4 ], [ 2, 1, 4, 3 ],\n  [ 3, 4, 1, 2 ], [ 4, 3, 2, 1 ] ];\n",
        "g.txt": "(1,2)\n(3,4)  # two generators",
        "h.g": "Group([ (1,2), (3,4) ])",
        "l.g": "M := [ [ 1 .. 4 ], [ 2, 1, 4, 3 ], [ 3, 4, 1, 2 ], [ 4, 3, 2, 1 ] ];;\n",
        "m.csv": "\ufeff" + "".join(";".join(map(str, row)) + "\r\n" for row in table),
        "i.txt": "[[1,0],[0,2]], [[2,0],[0,1]] mod 3",
        "j.json": json.dumps({"permutations": [[1, 0, 2, 3], [0, 1, 3, 2]]}),
        "n.g": "[ (1,2), (3,4) ]",
        "o.g": "gens := [ (1,2),\n  (3,4) ];",
        "p.g": "Group([ (1,2), (3,4) ]);",
        "k.json": json.dumps({"matrices": [[[1, 0], [0, 2]], [[2, 0], [0, 1]]], "modulus": 3}),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        found = finite_group(tmp_path / name)
        assert found.order == 4 and all(found.table[x, x] == 0 for x in range(4)), name
        assert finite_group(text.removeprefix("\ufeff")).order == 4, name  # a text is read as a file is; only files have marks
    assert finite_group({"table": table}).order == finite_group(np.array(table)).order == 4
    assert finite_group({"table": np.array(table, np.uint8)}).order == finite_group("(1,2), (3,4)  # of order 4").order == 4
    assert finite_group(json.dumps({"table": table, "name": "mine"})).name == "mine"


def test_layers_take_what_files_hold(tmp_path):
    """Questions about layers read generators, tables and files, beside names."""
    (tmp_path / "s3.g").write_text("gens := [ (1,2,3), (1,2) ];")
    for given in ("gens := [ (1,2,3), (1,2) ];", str(tmp_path / "s3.g"), {"permutations": [[1, 2, 0], [1, 0, 2]]}, "S3"):
        assert bounds.group(given).derived_length == bounds.layers(group=given).number == 2, given
        assert bounds.layers(group=given, class_="delta_product").number == 1, given
    with pytest.raises(ValueError, match="there is no such file"):
        bounds.layers(group=str(tmp_path / "none.g"))


def test_matrices_of_sympy_over_a_field():
    a, b = (DomainMatrix.from_Matrix(Matrix(rows)).convert_to(GF(3)) for rows in ([[1, 1], [0, 1]], [[1, 0], [1, 1]]))
    assert finite_group([a, b]).order == 24
    assert finite_group(SymmetricGroup(4)).order == finite_group("S4").order == 24
    with pytest.raises(ValueError, match=r"one field GF\(p\)"):
        finite_group([a, DomainMatrix.from_Matrix(Matrix([[1, 0], [0, 1]]))])


def test_a_group_of_another_order_of_elements_is_isomorphic():
    rng = np.random.default_rng(0)
    s4 = group("S4")
    order = np.concatenate([[0], 1 + rng.permutation(23)])
    back = np.argsort(order)
    moved = back[s4.table[order][:, order]]
    found = finite_group(gap_table(FiniteGroup.from_table(moved)))
    assert sorted(irrep.dimension for irrep in found.irreps) == [1, 1, 2, 3, 3] and found.derived_length == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is empty"),
        ("# nothing\n", "nothing but comments"),
        ("[[0, 1], [1]]", "not square"),
        ("[[1, 2], [2, 3]]", "is not one of the elements"),
        ("[[0, 1], [1, 1]]", "inverse|latin|axiom|identity|closure"),
        ("[[1, 0], [0, 1]]", "neutral element of the table is element 1 .*expected element 0"),
        ("[[1, 2, 0], [2, 0, 1], [0, 1, 2]]", "neutral element of the table is element 2"),
        ("[[ 1 .. 99999999999 ]]", "cannot be read"),
        ("(1 2 3) (1 2)", "disjoint.*A comma stands between two permutations"),
        ("0 1\n1 x", "holds 'x'"),
        ("[[0.5]]", "holds 0.5"),
        ("[[0, 1], [1, 0]", "cannot be read"),
        ('{"tables": []}', "'tables' is not read"),
        ('{"table": [[0]], "table": [[0, 1], [1, 0]]}', "'table' stands twice"),
        ('{"permutations": "(1 2)"}', r"permutations = '\(1 2\)'; expected"),
        ('{"matrices": null, "modulus": 3}', "matrices = None; expected"),
        ("[[100000000000000000000, 1], [1, 0]]", "holds 100000000000000000000"),
        ('{"table": [], "permutations": []}', "expected a multiplication table"),
        ('{"matrices": [[[1]]]}', "expected a multiplication table"),
        ("[[2, 0], [0, 1]] mod 4", "no inverse modulo 4"),
        ("[] ", "expected a multiplication table"),
        ("(1 2)(2 3)", "disjoint"),
    ],
)
def test_what_is_no_group_is_refused(text, said, tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=said) as caught:
        finite_group(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("entry", [1.0, np.float32(1.5), Fraction(3, 2), True, np.True_, None, "1.5", -(2**70)])
def test_entries_that_are_no_elements_are_named(entry):
    with pytest.raises(ValueError, match=f"the table holds {re.escape(repr(entry))}: expected the numbers"):
        finite_group({"table": [[0, entry], [entry, 0]]})


@pytest.mark.parametrize("given", ["S3", None, group("S3").table])
def test_only_groups_are_written(given, tmp_path):
    for write in (lambda: write_group(given, tmp_path / "mine.json"), lambda: gap_table(given)):
        with pytest.raises(TypeError, match="expected a group"):
            write()
    assert not list(tmp_path.iterdir())


def test_files_that_are_not_there_are_named(tmp_path):
    with pytest.raises(ValueError, match="no such file"):
        finite_group("nowhere.g")
    with pytest.raises(ValueError, match="it is no file"):
        finite_group(tmp_path)
    with pytest.raises(ValueError, match="no group is named"):
        finite_group("Nobody7")
    with pytest.raises(ValueError, match="which say the format"):
        write_group(group("S3"), tmp_path / "mine.xlsx")


def test_tables_of_numpy_are_read_and_nothing_is_unpickled(tmp_path):
    table = group("S3").table
    for kind in ("int64", "uint8", "int16"):
        np.save(tmp_path / "mine.npy", table.astype(kind) + 1)
        assert (
            finite_group(tmp_path / "mine.npy").is_abelian is False and finite_group(str(tmp_path / "mine.npy")).name == "mine"
        )
    for content, said in (
        (table.astype(float), "float64 of shape"),
        (table[:3], "not square"),
        (np.stack([table, table]), "expected a multiplication table"),
        (np.array([{}], dtype=object), "expected one array"),
    ):
        np.save(tmp_path / "bad.npy", content, allow_pickle=True)
        with pytest.raises(ValueError, match=rf"bad\.npy.*{said}"):
            finite_group(tmp_path / "bad.npy")
    (tmp_path / "bad.npy").write_bytes(b"no array")
    with pytest.raises(ValueError, match=r"bad\.npy cannot be read"):
        finite_group(tmp_path / "bad.npy")
    with pytest.raises(ValueError, match="No such file"):
        finite_group(tmp_path / "none.npy")


@pytest.mark.parametrize(
    "text", ["gap> MultiplicationTable(SymmetricGroup(3));", "SmallGroup(24,3)", "t := MultiplicationTable(g);"]
)
def test_commands_of_gap_are_named(text, tmp_path):
    (tmp_path / "mine.g").write_text(text)
    with pytest.raises(ValueError, match="a command, which GAP alone runs"):
        finite_group(tmp_path / "mine.g")
    if ":=" in text:
        with pytest.raises(ValueError, match="a command, which GAP alone runs"):
            finite_group(text)
