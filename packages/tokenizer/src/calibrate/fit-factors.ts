import { type AddedTokens, addedNames } from '../counter/added-tokens.ts'
import { type EstimateFactors, factorOf } from '../counter/estimate-factors.ts'
import { byClass, type TextClass, textClasses } from '../counter/text-profile.ts'

/**
 * The usage billed for one request: `share` is the base vocabulary's count of each class of
 * text (the count of each text, split by its bytes), `fixed` the framing, `counts` how many requests,
 * messages, tools and formats it has, `billed` the usage.
 * A class without a share is counted with its parent class.
 */
export type CalibrationRecord = {
  readonly share: EstimateFactors
  readonly fixed: number
  readonly counts?: AddedTokens
  readonly billed: number
}

/** Factors fitted to recorded usage, and how far they are from it. */
export type Calibration = {
  readonly factors: EstimateFactors
  /** Median of |estimate / billed - 1|, before and after. */
  readonly error: { readonly before: number; readonly after: number }
  /** The same of every second record, after a fit to the others alone: what new records may expect. */
  readonly judged: {
    readonly records: number
    readonly before: number
    readonly after: number
  }
  /** Multiply the factors by this so that 19 of 20 records are not underestimated. */
  readonly covering: number
}

/** Weight of the shipped factors, in average records: a class without records keeps its factor. */
const priorWeight = 1

const minFactor = 0.1

/** Added tokens that are as unlikely before the fit as a factor that is higher by one. */
const priorTokens = 200

/** A relative error above this counts in proportion, not squared: few odd records move little. */
const outlier = 0.05
const rounds = 20

/**
 * Fits factors and added tokens to relative errors by Huber's loss, with `shipped` and no added
 * tokens as the prior. The error of a record is (Σ share × factor + Σ count × added + fixed) / billed
 * - 1; each round solves least squares, weighted by the errors of the round before.
 */
export function fitFactors(
  records: readonly CalibrationRecord[],
  shipped: EstimateFactors,
): Calibration {
  const usable = records.filter(({ billed }) => billed > 0)
  const factors = fitted(usable, shipped)
  const judged = usable.filter((_, index) => index % 2 === 1)
  const others = usable.filter((_, index) => index % 2 === 0)
  return {
    factors,
    error: { before: medianError(usable, shipped), after: medianError(usable, factors) },
    judged: {
      records: judged.length,
      before: medianError(judged, shipped),
      after: medianError(judged, fitted(others, shipped)),
    },
    covering: coveringFactor(usable, factors),
  }
}

function fitted(usable: readonly CalibrationRecord[], shipped: EstimateFactors): EstimateFactors {
  let factors = solved(usable, shipped, () => 1)
  for (let round = 1; round < rounds; round += 1) {
    const known = factors
    factors = solved(usable, shipped, (record) =>
      Math.min(1, outlier / Math.abs(estimate(record, known) / record.billed - 1)),
    )
  }
  return factors
}

/** Solves the normal equations, with the weight of each record's squared error. */
function solved(
  records: readonly CalibrationRecord[],
  shipped: EstimateFactors,
  weightOf: (record: CalibrationRecord) => number,
): EstimateFactors {
  const size = textClasses.length + addedNames.length
  const matrix = Array.from({ length: size }, () => new Array<number>(size + 1).fill(0))
  const add = (row: number, column: number, value: number): void => {
    const cells = matrix[row]
    if (cells !== undefined) cells[column] = (cells[column] ?? 0) + value
  }
  for (const record of records) {
    const { fixed, billed } = record
    const features = featuresOf(record)
    const influence = weightOf(record)
    for (const [row, first] of features.entries()) {
      const weight = (influence * first) / billed
      for (const [column, second] of features.entries()) {
        add(row, column, (weight * second) / billed)
      }
      add(row, size, weight * (1 - fixed / billed))
    }
  }
  const prior = priorWeight / textClasses.length
  for (const [row, name] of textClasses.entries()) {
    add(row, row, prior)
    add(row, size, prior * factorOf(shipped, name))
  }
  for (let row = textClasses.length; row < size; row += 1) add(row, row, prior / priorTokens ** 2)
  return factorsFrom(solve(matrix))
}

/** What each unknown is multiplied by: the classes' shares, then the counts of what adds tokens. */
function featuresOf({ share, counts = {} }: CalibrationRecord): readonly number[] {
  return [
    ...textClasses.map((name) => shareOf(share, name)),
    ...addedNames.map((name) => counts[name] ?? 0),
  ]
}

function factorsFrom(solution: readonly number[]): EstimateFactors {
  const added = addedNames.map((name, index) => {
    const tokens = solution[textClasses.length + index] ?? 0
    return [name, Math.round(tokens * 10) / 10] as const
  })
  return {
    ...byClass((_, index) => Math.max(minFactor, solution[index] ?? 1)),
    framing: Object.fromEntries(added.filter(([, tokens]) => tokens !== 0)),
  }
}

function shareOf(share: CalibrationRecord['share'], name: TextClass): number {
  return share[name] ?? 0
}

function estimate(record: CalibrationRecord, factors: EstimateFactors): number {
  const fixed = framingOf(record, factors)
  return textClasses.reduce(
    (sum, name) => sum + shareOf(record.share, name) * factorOf(factors, name),
    fixed,
  )
}

function framingOf(
  { fixed, counts = {} }: CalibrationRecord,
  { framing = {} }: EstimateFactors,
): number {
  return addedNames.reduce((sum, name) => sum + (counts[name] ?? 0) * (framing[name] ?? 0), fixed)
}

function medianError(records: readonly CalibrationRecord[], factors: EstimateFactors): number {
  return quantile(
    records.map((record) => Math.abs(estimate(record, factors) / record.billed - 1)),
    0.5,
  )
}

function coveringFactor(records: readonly CalibrationRecord[], factors: EstimateFactors): number {
  const needed = records.map((record) => {
    const fixed = framingOf(record, factors)
    const text = estimate(record, factors) - fixed
    return text > 0 ? (record.billed - fixed) / text : 1
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
