import Mathlib

namespace Depthjax

/-- A group has a series of k steps with abelian factors iff its k-th derived subgroup is trivial.
A layer is a step of the series; so no group that is not solvable has a tower. -/
theorem group_tower_exact (G : Type*) [Group G] (k : ℕ) :
    (∃ H : ℕ → Subgroup G, H 0 = ⊤ ∧ H k = ⊥ ∧ ∀ i : ℕ, ⁅H i, H i⁆ ≤ H (i + 1)) ↔ derivedSeries G k = ⊥ := by
  sorry

theorem no_tower (G : Type*) [Group G] (perfect : ¬ IsSolvable G) (k : ℕ) : derivedSeries G k ≠ ⊥ := by
  sorry

end Depthjax
