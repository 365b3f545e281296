import Mathlib

namespace Depthjax

/-- Two layers that hold B bits of a table at a position take two words for one another. The words have one
start i and one first table f; their second tables g and g' differ at f i.

`early f` reaches the last position in layer 1, `heard f j x` the entry j of the second table, which holds x;
`half g` reaches the last position in layer 1, and `late` in layer 2. -/
theorem composition_needs_depth (a b B : ℕ) (few : 2 * B < b)
    (long : 2 ^ ((2 * b + 1) * B) * (2 * B) ^ a < b ^ a)
    (early : (Fin a → Fin b) → Fin (2 ^ B)) (heard : (Fin a → Fin b) → Fin b → Bool → Fin (2 ^ B))
    (half : (Fin b → Bool) → Fin (2 ^ B))
    (late : (Fin b → Bool) → Fin a → (Fin b → Fin (2 ^ B)) → Fin (2 ^ B) → Fin (2 ^ B)) :
    ∃ (i : Fin a) (f : Fin a → Fin b) (g g' : Fin b → Bool),
      half g = half g' ∧
      late g i (fun j => heard f j (g j)) (early f) = late g' i (fun j => heard f j (g' j)) (early f) ∧
      g (f i) ≠ g' (f i) := by
  sorry

/-- Tables of 2 B entries are read by halves. -/
theorem composition_by_halves (B : ℕ) :
    ∃ half late : (Fin (2 * B) → Bool) → Fin (2 ^ B), Function.Injective (fun g => (half g, late g)) := by
  sorry

end Depthjax
