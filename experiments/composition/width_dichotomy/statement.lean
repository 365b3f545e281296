import Mathlib

namespace Depthjax

variable (G : Type*) [CommGroup G] [Fintype G] [DecidableEq G]

/-- One hidden layer of H units z ^ k that composes k elements of G in the centred code of one letter each. -/
def Composes (k H : ℕ) (u : Fin k → Fin H → G → ℂ) (v : Fin H → G → ℂ) : Prop :=
  ∀ (g : Fin k → G) (h : G),
    ∑ r, (∑ i, u i r (g i)) ^ k * v r h = (if (∏ i, g i) = h then 1 else 0) - 1 / (Fintype.card G : ℂ)

/-- Abelian width: at least |G| - 1 units, whatever the weights. -/
theorem abelian_width (k H : ℕ) (two : 2 ≤ k) (u : Fin k → Fin H → G → ℂ) (v : Fin H → G → ℂ)
    (right : Composes G k H u v) : Fintype.card G - 1 ≤ H := by
  sorry

/-- And polynomially many units suffice, one for each way to count the letters of a word. -/
theorem abelian_width_suffices (k : ℕ) (two : 2 ≤ k) :
    ∃ (u : Fin k → Fin (Nat.choose (k + Fintype.card G - 1) (Fintype.card G - 1)) → G → ℂ)
      (v : Fin (Nat.choose (k + Fintype.card G - 1) (Fintype.card G - 1)) → G → ℂ), Composes G k _ u v := by
  sorry

end Depthjax
