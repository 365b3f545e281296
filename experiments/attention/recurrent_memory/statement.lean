import Mathlib

namespace Depthjax

/-- A machine that recalls one of n bits after it has read all of them has at least 2 ^ n states. -/
theorem recurrent_memory (n : ℕ) (S : Type*) [Fintype S] (state : (Fin n → Bool) → S)
    (answer : S → Fin n → Bool) (right : ∀ (x : Fin n → Bool) (i : Fin n), answer (state x) i = x i) :
    2 ^ n ≤ Fintype.card S := by
  sorry

end Depthjax
