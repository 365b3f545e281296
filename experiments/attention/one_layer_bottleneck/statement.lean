import Mathlib

namespace Depthjax

/-- Sums of h heads, m + 1 numbers a head and p bits a number, take two words for one another that differ
at a place for which the index can ask. -/
theorem one_layer_bottleneck (n h m p : ℕ) (few : h * (m + 1) * p < n)
    (sums : (Fin n → Bool) → Fin h → Fin (m + 1) → Fin (2 ^ p)) :
    ∃ (x y : Fin n → Bool) (i : Fin n), sums x = sums y ∧ x i ≠ y i := by
  sorry

/-- As many bits as the word has are enough. -/
theorem one_layer_bottleneck_attained (n h m p : ℕ) (enough : n ≤ h * (m + 1) * p) :
    ∃ sums : (Fin n → Bool) → Fin h → Fin (m + 1) → Fin (2 ^ p), Function.Injective sums := by
  sorry

end Depthjax
