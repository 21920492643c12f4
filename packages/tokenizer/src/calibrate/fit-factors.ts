import { type EstimateFactors, factorOf } from '../counter/estimate-factors.ts'
import { byClass, type TextClass, textClasses } from '../counter/text-profile.ts'

/**
 * The usage billed for one request: `share` is the base vocabulary's count of each class of
 * text (the count of each text, split by its bytes), `fixed` the framing, `billed` the usage.
 * A class without a share is counted with its parent class.
 */
export type CalibrationRecord = {
  readonly share: EstimateFactors
  readonly fixed: number
  readonly billed: number
}

export type Calibration = {
  readonly factors: EstimateFactors
  /** Median of |estimate / billed - 1|, before and after. */
  readonly error: { readonly before: number; readonly after: number }
  /** Multiply the factors by this so that 19 of 20 records are not underestimated. */
  readonly covering: number
}

/** Weight of the shipped factors, in average records: a class without records keeps its factor. */
const priorWeight = 1

const smallestFactor = 0.1

/**
 * Fits factors by least squares on relative errors, with `shipped` as the prior. It minimises the
 * sum of ((Σ share × factor + fixed) / billed - 1)² over the records, plus the prior's term.
 */
export function fitFactors(
  records: readonly CalibrationRecord[],
  shipped: EstimateFactors,
): Calibration {
  const usable = records.filter(({ billed }) => billed > 0)
  const size = textClasses.length
  const matrix = Array.from({ length: size }, () => new Array<number>(size + 1).fill(0))
  const add = (row: number, column: number, value: number): void => {
    const cells = matrix[row]
    if (cells !== undefined) cells[column] = (cells[column] ?? 0) + value
  }
  for (const { share, fixed, billed } of usable) {
    for (const [row, first] of textClasses.entries()) {
      const weight = shareOf(share, first) / billed
      for (const [column, second] of textClasses.entries()) {
        add(row, column, (weight * shareOf(share, second)) / billed)
      }
      add(row, size, weight * (1 - fixed / billed))
    }
  }
  for (const [row, name] of textClasses.entries()) {
    const prior = priorWeight / size
    add(row, row, prior)
    add(row, size, prior * factorOf(shipped, name))
  }
  const solution = solve(matrix)
  const factors = byClass((_, index) => Math.max(smallestFactor, solution[index] ?? 1))
  return {
    factors,
    error: { before: medianError(usable, shipped), after: medianError(usable, factors) },
    covering: coveringFactor(usable, factors),
  }
}

function shareOf(share: CalibrationRecord['share'], name: TextClass): number {
  return share[name] ?? 0
}

function estimate({ share, fixed }: CalibrationRecord, factors: EstimateFactors): number {
  return textClasses.reduce(
    (sum, name) => sum + shareOf(share, name) * factorOf(factors, name),
    fixed,
  )
}

function medianError(records: readonly CalibrationRecord[], factors: EstimateFactors): number {
  return quantile(
    records.map((record) => Math.abs(estimate(record, factors) / record.billed - 1)),
    0.5,
  )
}

function coveringFactor(records: readonly CalibrationRecord[], factors: EstimateFactors): number {
  const needed = records.map((record) => {
    const text = estimate(record, factors) - record.fixed
    return text > 0 ? (record.billed - record.fixed) / text : 1
  })
  return Math.max(1, quantile(needed, 0.95))
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0
}

/** Gaussian elimination; the prior keeps the matrix positive definite, so no pivot is zero. */
function solve(matrix: readonly number[][]): readonly number[] {
  const size = matrix.length
  for (let pivot = 0; pivot < size; pivot += 1) {
    const row = matrix[pivot] ?? []
    const head = row[pivot] ?? 1
    for (const other of matrix) {
      if (other === row) continue
      const scale = (other[pivot] ?? 0) / head
      for (let column = pivot; column <= size; column += 1) {
        other[column] = (other[column] ?? 0) - scale * (row[column] ?? 0)
      }
    }
  }
  return matrix.map((row, index) => (row[size] ?? 0) / (row[index] ?? 1))
}
