import { proofSize } from '../../../../scripts/testing/proof-size.ts'

/** How a response arrives, and which client reads it. */
export type Split = {
  readonly pieces: readonly Buffer[]
  readonly client: 'collected' | 'relayed'
}

/** Bodies up to this length, in bytes, are cut at every place in turn. */
const maxExhaustive = proofSize({ quick: 100, all: 500 })
/** Bodies up to this length also arrive one byte at a time. */
const maxByteByByte = proofSize({ quick: 2_000, all: 20_000 })

/**
 * The splits of a response: in one piece for both clients, cut inside every character of several bytes
 * and around the bytes of every line end, the same with CRLF, byte by byte, and cut at every place, or
 * for a long body at a seeded sample of places.
 */
export function* splitsOf(bytes: Buffer): Generator<Split> {
  yield { pieces: [bytes], client: 'collected' }
  yield { pieces: [bytes], client: 'relayed' }
  yield { pieces: cut(bytes, seams(bytes)), client: 'relayed' }
  const withCarriageReturns = Buffer.from(bytes.toString('utf8').replaceAll(/\r?\n/g, '\r\n'))
  yield { pieces: cut(withCarriageReturns, seams(withCarriageReturns)), client: 'collected' }
  if (bytes.length <= maxByteByByte) {
    yield { pieces: Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)), client: 'relayed' }
  }
  if (bytes.length <= maxExhaustive) {
    for (let at = 1; at < bytes.length; at += 1) {
      yield { pieces: cut(bytes, [at]), client: at % 2 === 0 ? 'collected' : 'relayed' }
    }
    return
  }
  const random = seeded(bytes.length)
  const places = Array.from({ length: 7 }, () => Math.floor(random() * bytes.length))
  const client = bytes.length % 2 === 0 ? 'collected' : 'relayed'
  const sorted = places.sort((a, b) => a - b)
  yield { pieces: cut(bytes, sorted), client }
}

/** The places inside characters of several bytes, and on both sides of each byte of a line end. */
function seams(bytes: Buffer): readonly number[] {
  const places: number[] = []
  for (let at = 1; at < bytes.length; at += 1) {
    const isInside = ((bytes[at] ?? 0) & 0xc0) === 0x80
    if (isInside || isLineEnd(bytes[at]) || isLineEnd(bytes[at - 1])) places.push(at)
  }
  return places
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === 0x0a || byte === 0x0d
}

function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const ends = [...places, bytes.length]
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

/** A linear congruential generator: the same sample in every run. */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
