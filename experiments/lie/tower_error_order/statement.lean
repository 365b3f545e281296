import Mathlib

namespace Depthjax

/-- Elements of the k-th derived ideal of a free Lie algebra have degree at least 2 ^ k: `m_k ≥ 2 ^ k`.
Term n of the lower central series holds the brackets of degree n + 1 and more. -/
theorem derived_ideal_degree (R X : Type*) [CommRing R] (k : ℕ) :
    LieAlgebra.derivedSeries R (FreeLieAlgebra R X) k ≤
      LieModule.lowerCentralSeries R (FreeLieAlgebra R X) (FreeLieAlgebra R X) (2 ^ k - 1) := by
  sorry

end Depthjax
