import Mathlib

namespace Depthjax

variable {A : Type*}

/-- The pointer of position i after layer L + 1: layer 1 finds, and every further layer doubles. -/
def pointer (find : ℕ → ℕ) : ℕ → ℕ → ℕ
  | 0, i => find i
  | L + 1, i => pointer find L (pointer find L i)

/-- The letter that position i holds after layer L + 1; it moves where the binary digit of k is set. -/
def held (letter : ℕ → A) (find : ℕ → ℕ) (k : ℕ) : ℕ → ℕ → A
  | 0, i => letter i
  | L + 1, i => if Nat.testBit k L then held letter find k L (pointer find L i) else held letter find k L i

theorem pointer_doubles (find : ℕ → ℕ) (L i : ℕ) : pointer find L i = find^[2 ^ L] i := by
  sorry

/-- After ⌊log₂ k⌋ + 2 layers position i holds the letter k hops away. -/
theorem hop_depth_strict (letter : ℕ → A) (find : ℕ → ℕ) (k i : ℕ) (positive : 1 ≤ k) :
    held letter find k (Nat.log 2 k + 1) i = letter (find^[k] i) := by
  sorry

end Depthjax
