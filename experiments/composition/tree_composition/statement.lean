import Mathlib

namespace Depthjax

variable {σ : Type*}

/-- What a node of layer L of a network of squares computes, as a polynomial in the codes of the letters. -/
inductive Quadratic : ℕ → MvPolynomial σ ℝ → Prop
  | input (p : MvPolynomial σ ℝ) : p.totalDegree ≤ 1 → Quadratic 0 p
  | square (L : ℕ) (p : MvPolynomial σ ℝ) : Quadratic L p → Quadratic (L + 1) (p ^ 2)
  | add (L : ℕ) (p q : MvPolynomial σ ℝ) : Quadratic L p → Quadratic L q → Quadratic L (p + q)
  | scale (L : ℕ) (c : ℝ) (p : MvPolynomial σ ℝ) : Quadratic L p → Quadratic L (MvPolynomial.C c * p)

/-- A function of degree k, such as the product of k elements, takes ⌈log₂ k⌉ layers of squares. -/
theorem tree_composition (L k : ℕ) (p : MvPolynomial σ ℝ) (layers : Quadratic L p)
    (degree : k ≤ p.totalDegree) : Nat.clog 2 k ≤ L := by
  sorry

end Depthjax
