# Writes gap.json: what GAP says of named groups and of all groups of order up to 63.
# Run in this folder, with the packages of small groups and of character tables: gap -q gap.g

# The image of the group, not of the map: for SL(2, q) the map's source is all of GL(2, q).
Permutations := group -> Image(IsomorphismPermGroup(group), group);;

Matrices := function(generators, modulus)
    local one;
    one := One(Integers mod modulus);
    return Group(List(generators, m -> m * one));
end;;

Heisenberg := n -> Matrices([[[1,1,0],[0,1,0],[0,0,1]], [[1,0,0],[0,1,1],[0,0,1]]], n);;

# The maps x -> r x + s of the integers modulo n, r among the powers of the smallest number of multiplicative order m.
Affine := function(n, m)
    local r;
    r := First([1..n], x -> Gcd(x, n) = 1 and OrderMod(x, n) = m);
    return Group(PermList(List([0..n-1], x -> (x + 1) mod n + 1)), PermList(List([0..n-1], x -> (r * x) mod n + 1)));
end;;


named := [
    ["C1", CyclicGroup(1)], ["C2", CyclicGroup(2)], ["C7", CyclicGroup(7)], ["C12", CyclicGroup(12)], ["C2xC2xC2", AbelianGroup([2,2,2])],
    ["C3xC3", AbelianGroup([3,3])], ["C4xC6", AbelianGroup([4,6])], ["C2xC2xC4", AbelianGroup([2,2,4])],
    ["D3", DihedralGroup(6)], ["D4", DihedralGroup(8)], ["D5", DihedralGroup(10)], ["D6", DihedralGroup(12)],
    ["D8", DihedralGroup(16)], ["D9", DihedralGroup(18)],
    ["Q8", QuaternionGroup(8)], ["Q12", DicyclicGroup(12)], ["Q16", QuaternionGroup(16)], ["Q20", DicyclicGroup(20)],
    ["Q24", DicyclicGroup(24)],
    ["S4", SymmetricGroup(4)], ["S5", SymmetricGroup(5)], ["S6", SymmetricGroup(6)],
    ["A4", AlternatingGroup(4)], ["A5", AlternatingGroup(5)], ["A6", AlternatingGroup(6)], ["A7", AlternatingGroup(7)],
    ["H3_2", Heisenberg(2)], ["H3_3", Heisenberg(3)], ["H3_4", Heisenberg(4)], ["H3_5", Heisenberg(5)],
    ["SL2_2", SL(2,2)], ["SL2_3", SL(2,3)], ["SL2_5", SL(2,5)], ["SL2_7", SL(2,7)], ["GL2_3", GL(2,3)], ["GL2_5", GL(2,5)],
    ["C7:C3", Affine(7,3)], ["C5:C4", Affine(5,4)], ["C8:C2", Affine(8,2)], ["C9:C3", Affine(9,3)], ["C11:C5", Affine(11,5)],
    ["C13:C4", Affine(13,4)],
    ["D3xC3", DirectProduct(DihedralGroup(6), CyclicGroup(3))], ["D3xD3", DirectProduct(DihedralGroup(6), DihedralGroup(6))],
    ["D4xQ8", DirectProduct(DihedralGroup(8), QuaternionGroup(8))], ["SL2_3xC2", DirectProduct(SL(2,3), CyclicGroup(2))],
    ["A5xC3", DirectProduct(AlternatingGroup(5), CyclicGroup(3))], ["M11", MathieuGroup(11)]
];;

# How often each eigenvalue E(n)^0 .. E(n)^(n-1), n the order of the elements of a class, occurs: the value, exactly.
Multiplicities := function(chi, class)
    local counts;
    counts := EigenvaluesChar(chi, class);  # of E(n)^1 .. E(n)^n
    return Concatenation([counts[Length(counts)]], counts{[1..Length(counts)-1]});
end;;

# The trivial group's lower central series is listed with a repetition.
Orders := series -> DuplicateFreeList(List(series, Size));;

Facts := function(given)
    local group, table, irr, factors;
    group := Permutations(given);
    if Size(group) <> Size(given) then Error("not an isomorphism"); fi;
    table := CharacterTable(group);
    irr := Irr(table);
    factors := Orders(CompositionSeries(group));
    return rec(
        order := Size(group),
        class_sizes := SizesConjugacyClasses(table),
        class_orders := OrdersClassRepresentatives(table),
        indicators := Indicator(table, 2),
        derived := Orders(DerivedSeriesOfGroup(group)),
        lower_central := Orders(LowerCentralSeriesOfGroup(group)),
        factors := List([1..Length(factors)-1], i -> factors[i] / factors[i+1]),
        multiplicities := List(irr, chi -> List([1..Length(irr)], class -> Multiplicities(chi, class)))
    );
end;;

# Permutations of 0 .. n-1 that generate the group, and [degree, indicator, how many], by degree.
Small := function(order, number)
    local group, smaller, points, generators, table;
    group := Permutations(SmallGroup(order, number));
    smaller := Image(SmallerDegreePermutationRepresentation(group));
    points := Maximum(1, LargestMovedPoint(smaller));
    generators := List(SmallGeneratingSet(smaller), g -> ListPerm(g, points) - 1);
    table := CharacterTable(group);
    return [order, number, generators, List(
        Collected(List([1..Length(Irr(table))], i -> [DegreeOfCharacter(Irr(table)[i]), Indicator(table, 2)[i]])),
        pair -> [pair[1][1], pair[1][2], pair[2]])];
end;;

Json := function(value)
    local inner;
    if IsString(value) and not IsEmpty(value) then
        return Concatenation("\"", value, "\"");
    elif IsList(value) then
        inner := List(value, Json);
        return Concatenation("[", JoinStringsWithSeparator(inner, ","), "]");
    elif IsRecord(value) then
        inner := List(RecNames(value), name -> Concatenation("\"", name, "\":", Json(value.(name))));
        return Concatenation("{", JoinStringsWithSeparator(inner, ","), "}");
    fi;
    return String(value);
end;;

output := OutputTextFile("gap.json", false);;
SetPrintFormattingStatus(output, false);
origin := Concatenation("GAP ", GAPInfo.Version, ", smallgrp ", PackageInfo("smallgrp")[1].Version, ", ctbllib ", PackageInfo("ctbllib")[1].Version, "; command: gap -q gap.g");;
PrintTo(output, "{\"origin\":", Json(origin), ",\n\"named\":{\n");
for i in [1..Length(named)] do
    if i > 1 then PrintTo(output, ",\n"); fi;
    PrintTo(output, Json(named[i][1]), ":", Json(Facts(named[i][2])));
od;
PrintTo(output, "\n},\n\"small\":[\n");
for order in [1..63] do
    for number in [1..NumberSmallGroups(order)] do
        if order > 1 then PrintTo(output, ",\n"); fi;
        PrintTo(output, Json(Small(order, number)));
    od;
od;
PrintTo(output, "\n]}\n");
CloseStream(output);
QUIT;
