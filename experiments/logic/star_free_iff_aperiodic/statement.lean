import Mathlib

namespace Depthjax

variable {A : Type*}

/-- Languages from letters by union, concatenation and complement, without the star. -/
inductive StarFree : Language A → Prop
  | zero : StarFree 0
  | letter (a : A) : StarFree {[a]}
  | add (L M : Language A) : StarFree L → StarFree M → StarFree (L + M)
  | mul (L M : Language A) : StarFree L → StarFree M → StarFree (L * M)
  | compl (L : Language A) : StarFree L → StarFree Lᶜ

/-- The side of the claim without attention: a regular language is star-free iff its syntactic monoid is
aperiodic, that is, iff it does not count how often a factor is repeated. -/
theorem star_free_iff_aperiodic [Fintype A] (L : Language A) (regular : L.IsRegular) :
    StarFree L ↔ ∃ n : ℕ, ∀ x u y : List A,
      x ++ (List.replicate n u).flatten ++ y ∈ L ↔ x ++ (List.replicate (n + 1) u).flatten ++ y ∈ L := by
  sorry

end Depthjax
