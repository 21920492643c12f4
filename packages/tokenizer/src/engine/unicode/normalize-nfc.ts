import { classOf, mark, other } from './unicode-classes.ts'

/** Length of a run of marks up to which `normalize`, which is quadratic in it, is fast. */
const longRun = /\p{M}{33,}/gu
const shortRun = 32

/**
 * Normalizes a text to NFC in linear time. V8 sorts a run of marks by insertion, so long runs are
 * sorted first.
 */
export function normalizeNfc(text: string): string {
  return (mayHaveLongRun(text) ? text.replace(longRun, sortMarks) : text).normalize('NFC')
}

/** A long run has a mark at each sampled place; an unknown code point may be one. */
function mayHaveLongRun(text: string): boolean {
  for (let index = shortRun; index < text.length; index += shortRun) {
    const unit = text.charCodeAt(index)
    if (unit < 0x300) continue
    const kind = classOf(unit)
    if (kind === mark || kind === other || (unit & 0xf800) === 0xd800) return true
  }
  return false
}

/** Marks decomposed and in canonical order. */
function sortMarks(run: string): string {
  const parts = new Map<string, readonly string[]>()
  const decomposed: string[] = []
  for (const mark of run) {
    const part = parts.get(mark) ?? Array.from(mark.normalize('NFD'))
    parts.set(mark, part)
    for (const found of part) decomposed.push(found)
  }
  const unique = new Set(decomposed)
  const classes: string[] = []
  for (const found of unique) addClass(classes, found)
  const rankOf = new Map(Array.from(unique, (found) => [found, rank(classes, found)]))
  return sortByRank(decomposed, rankOf, classes.length)
}

/** The only mark with the highest combining class, 240. */
const last = '\u0345'

function isBehind(first: string, second: string): boolean {
  return (first + second).normalize('NFD') !== first + second
}

/** Whether a mark has a combining class other than 0. */
function isSortable(mark: string): boolean {
  return mark === last || isBehind(last, mark)
}

/** Collects one mark of each combining class except 0, in order. */
function addClass(classes: string[], mark: string): void {
  const place = rank(classes, mark)
  const known = classes[place]
  if (place >= 0 && (known === undefined || isBehind(known, mark))) classes.splice(place, 0, mark)
}

/** The rank of a mark's class, or -1 for class 0, which other marks cannot cross. */
function rank(classes: readonly string[], mark: string): number {
  if (!isSortable(mark)) return -1
  let low = 0
  let high = classes.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBehind(mark, classes[middle] ?? '')) low = middle + 1
    else high = middle
  }
  return low
}

/** Sorts by class, stably; no mark moves past one of class 0. */
function sortByRank(
  marks: readonly string[],
  rankOf: ReadonlyMap<string, number>,
  ranks: number,
): string {
  const sorted: string[] = []
  const buckets = Array.from({ length: ranks }, (): string[] => [])
  const flush = (): void => {
    for (const bucket of buckets) sorted.push(bucket.splice(0).join(''))
  }
  for (const found of marks) {
    const bucket = buckets[rankOf.get(found) ?? -1]
    bucket?.push(found)
    if (bucket !== undefined) continue
    flush()
    sorted.push(found)
  }
  flush()
  return sorted.join('')
}
