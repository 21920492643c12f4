/** An observation: the features, what they should add up to, and how much an error weighs. */
export type Observation = {
  readonly features: readonly number[]
  readonly target: number
  readonly weight: number
}

const rounds = 60
const sweeps = 100

/** Errors below this count as such, so that an exact fit has a finite weight. */
const minError = 0.01

/**
 * Fits coefficients of zero or more by least absolute errors: iteratively reweighted least squares,
 * each solved by coordinates. One outlier moves it little.
 */
export function fitNonNegative(observations: readonly Observation[]): readonly number[] {
  const size = observations[0]?.features.length ?? 0
  const fitted = new Array<number>(size).fill(0)
  for (let round = 0; round < rounds; round += 1) {
    const weights = observations.map(({ features, target, weight }) => {
      const error = Math.abs(target - dot(features, fitted)) * weight
      return round === 0 ? weight ** 2 : weight ** 2 / Math.max(minError, error)
    })
    for (let sweep = 0; sweep < sweeps; sweep += 1) {
      for (let index = 0; index < size; index += 1) {
        fitted[index] = bestAt(index, observations, { weights, fitted })
      }
    }
  }
  return fitted
}

function bestAt(
  index: number,
  observations: readonly Observation[],
  { weights, fitted }: { readonly weights: readonly number[]; readonly fitted: readonly number[] },
): number {
  let slope = 0
  let curve = 0
  for (const [row, { features, target }] of observations.entries()) {
    const feature = features[index] ?? 0
    if (feature === 0) continue
    const weight = weights[row] ?? 0
    const others = dot(features, fitted) - feature * (fitted[index] ?? 0)
    slope += weight * feature * (target - others)
    curve += weight * feature ** 2
  }
  return curve === 0 ? 0 : Math.max(0, slope / curve)
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
}
