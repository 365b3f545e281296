import Mathlib

namespace Depthjax

variable {S : Type*}

/-- The map that position t knows after so many layers; each layer doubles the letters behind it. -/
def afterLayers (letter : ℕ → S → S) : ℕ → ℕ → S → S
  | 0, t => letter t
  | L + 1, t =>
    if t < 2 ^ L then afterLayers letter L t
    else afterLayers letter L t ∘ afterLayers letter L (t - 2 ^ L)

/-- The map of the first t letters. -/
def prefixMap (letter : ℕ → S → S) : ℕ → S → S
  | 0 => id
  | t + 1 => letter t ∘ prefixMap letter t

/-- Words of T letters are read in ⌈log₂ T⌉ layers. -/
theorem scan_depth (letter : ℕ → S → S) (T t : ℕ) (inside : t < T) :
    afterLayers letter (Nat.clog 2 T) t = prefixMap letter (t + 1) := by
  sorry

/-- With fewer layers the last position does not depend on the first letter. -/
theorem scan_depth_needed (letter : ℕ → S → S) (first : S → S) (L t : ℕ) (far : 2 ^ L ≤ t) :
    afterLayers (Function.update letter 0 first) L t = afterLayers letter L t := by
  sorry

end Depthjax
