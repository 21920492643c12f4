import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { type ChatPlan, planChat, sumChat } from '../chat/chat-plan.ts'
import type { CounterName } from '../counter/counter-name.ts'
import type { TokenCount } from '../counter/token-count.ts'
import { encodingNames } from '../engine/encoding-name.ts'
import { requireAmount, requireInteger, requireText } from '../vocabulary/require-argument.ts'
import type { VocabularyFiles } from '../vocabulary/vocabulary-store.ts'
import { type CountCache, cachedUnits, cacheKey, createCountCache } from './count-cache.ts'
import { countInPool, type PooledResults } from './count-in-pool.ts'
import type { FactorsByCounter } from './count-job.ts'
import { type CounterStoreOptions, createCounterStore } from './counter-store.ts'
import { parseFactors } from './parse-factors.ts'
import type {
  CountChatInput,
  CountEnd,
  PooledTokenCount,
  TokenCounter,
  TokenCounterOptions,
} from './token-counter.ts'
import { createWorkerPool } from './worker-pool.ts'

const defaults = {
  maxQueueBytes: 256 << 20,
  cpuMilliseconds: 2000,
  cacheBytes: 8 << 20,
  inlineBytes: 32 << 10,
} as const

const optionNames: ReadonlySet<string> = new Set<keyof TokenCounterOptions>([
  'workers',
  'maxQueueBytes',
  'cpuMilliseconds',
  'cacheBytes',
  'inlineBytes',
  'vocabularies',
  'factors',
])

/** UTF-16 units digested per turn of the event loop. */
const digestedUnits = 256 << 10

type Counted = { readonly counts: readonly TokenCount[]; readonly degraded?: CountEnd | undefined }

/**
 * Counts small inputs inline and large ones in threads that share the vocabularies' memory.
 * Everything is loaded and started on first use. Throws a TypeError for an option of a wrong type and
 * for an unknown option, vocabulary or counter.
 *
 * The counts reject with TokenQueueFullError, TokenWorkerError, TokenCounterClosedError, or the
 * reason of the signal.
 */
export function createTokenCounter(options: TokenCounterOptions = {}): TokenCounter {
  const { workers, maxQueueBytes, cpuMilliseconds, cacheBytes, inlineBytes } = limitsOf(options)
  const { vocabularies, factors } = filesOf(options)
  const store = createCounterStore({ vocabularies, factors })
  const pool = createWorkerPool({ workers, factors })
  const cache = createCountCache(cacheBytes)
  const closed = new AbortController()
  let queuedBytes = 0

  async function countLarge(input: TextInput): Promise<Counted> {
    const { counter, texts, signal } = input
    const found = await lookUp(cache, input)
    signal?.throwIfAborted()
    const { results, endedBy } = await countInPool(pool, {
      counter,
      vocabulary: store.vocabularyOf(counter),
      texts: found.missing.map((place) => texts[place] ?? ''),
      milliseconds: cpuMilliseconds,
      atMost: input.atMost - tokensOf(found.counts),
      signals: signal === undefined ? [closed.signal] : [signal, closed.signal],
    })
    fill(found, results, cache)
    return { counts: found.counts, degraded: endedBy }
  }

  async function count(input: TextInput): Promise<Counted> {
    input.signal?.throwIfAborted()
    closed.signal.throwIfAborted()
    const units = input.texts.reduce((sum, text) => sum + requireText(text).length, 0)
    if (units <= inlineBytes) {
      const { countText } = store.counterOf(input.counter)
      return { counts: input.texts.map((text) => countText(text)) }
    }
    const bytes = units * 2
    if (queuedBytes + bytes > maxQueueBytes) throw new TokenQueueFullError(bytes, maxQueueBytes)
    queuedBytes += bytes
    return countLarge(input).finally(() => {
      queuedBytes -= bytes
    })
  }

  return {
    countChat: async (input) => {
      const plan = planChat(input.messages, store.framingOf(input.counter), input)
      const counted = await count(textsOf(plan, input))
      return outcome(counted, sumChat(plan, counted.counts))
    },
    countText: async (counter, text) => {
      const counted = await count({ ...unlimited, counter, texts: [text] })
      const [found = { tokens: 0, method: 'exact', upperBound: 0 }] = counted.counts
      return outcome(counted, found)
    },
    textMethod: store.textMethodOf,
    close: () => {
      closed.abort(new TokenCounterClosedError())
      return pool.close()
    },
  }
}

type Limits = Readonly<Record<keyof typeof defaults | 'workers', number>>

function limitsOf(options: TokenCounterOptions): Limits {
  const { maxQueueBytes, cpuMilliseconds, cacheBytes, inlineBytes } = { ...defaults, ...options }
  const { workers = Math.max(1, availableParallelism() - 1) } = options
  // The files of a misspelled option would be ignored, and their texts estimated.
  for (const name of Object.keys(options)) {
    if (!optionNames.has(name)) throw new TypeError(`A token counter has no option ${name}`)
  }
  const amounts = { maxQueueBytes, cpuMilliseconds, cacheBytes, inlineBytes }
  requireInteger('workers', workers, { from: 1, below: Number.POSITIVE_INFINITY })
  for (const [name, amount] of Object.entries(amounts)) requireAmount(name, amount)
  return { workers, ...amounts }
}

function filesOf({ vocabularies = {}, factors = {} }: TokenCounterOptions): CounterStoreOptions {
  requireVocabularies(vocabularies)
  requireFactorsOf(factors)
  return { vocabularies, factors }
}

/** The file of a misspelled name would be ignored, and its texts estimated. */
function requireVocabularies(files: VocabularyFiles): void {
  for (const name of Object.keys(files)) {
    if (encodingNames.some((known) => known === name)) continue
    throw new TypeError(`vocabularies.${name} is not a vocabulary: use one of encodingNames`)
  }
}

function requireFactorsOf(factors: FactorsByCounter): void {
  const parsed = parseFactors(factors)
  if (parsed.status === 'valid') return
  const problems = parsed.problems.map(({ path, message }) => `factors.${path} ${message}`)
  throw new TypeError(problems.join('; '))
}

type TextInput = {
  readonly counter: CounterName
  readonly texts: readonly string[]
  readonly atMost: number
  readonly signal: AbortSignal | undefined
}

function textsOf({ texts, framing }: ChatPlan, input: CountChatInput): TextInput {
  const { counter, signal, atMost = Number.POSITIVE_INFINITY } = input
  if (typeof atMost !== 'number' || Number.isNaN(atMost)) {
    throw new TypeError(`atMost must be a number of tokens, and is ${String(atMost)}`)
  }
  return { counter, texts, atMost: atMost - framing.tokens, signal }
}

function tokensOf(counts: readonly TokenCount[]): number {
  return counts.reduce((sum, { tokens }) => sum + tokens, 0)
}

const unlimited = { atMost: Number.POSITIVE_INFINITY, signal: undefined }

type LookUp = {
  readonly counts: TokenCount[]
  readonly keys: (string | undefined)[]
  /** Indexes of the texts that are not in the cache. */
  readonly missing: readonly number[]
}

/** Digests long texts, yielding to the event loop now and then, and looks them up in the cache. */
async function lookUp(cache: CountCache, { counter, texts }: TextInput): Promise<LookUp> {
  const counts: TokenCount[] = []
  const keys: (string | undefined)[] = []
  const missing: number[] = []
  let digested = 0
  for (const [place, text] of texts.entries()) {
    const key = cache.isOff || text.length < cachedUnits ? undefined : cacheKey(counter, text)
    const known = key === undefined ? undefined : cache.get(key)
    if (known === undefined) missing.push(place)
    else counts[place] = known
    keys[place] = key
    digested += key === undefined ? 0 : text.length
    if (digested < digestedUnits) continue
    digested = 0
    await setImmediate()
  }
  return { counts, keys, missing }
}

/** Fills in the counts from the threads, and caches the complete ones. */
function fill({ counts, keys, missing }: LookUp, results: PooledResults, cache: CountCache): void {
  for (const [index, { count, counted }] of results.entries()) {
    const place = missing[index] ?? 0
    const key = keys[place]
    counts[place] = count
    if (counted && key !== undefined) cache.set(key, count)
  }
}

function outcome({ degraded }: Counted, count: TokenCount): PooledTokenCount {
  return degraded === undefined ? count : { ...count, method: 'estimate', degraded }
}

/** The texts waiting to be counted exceed `maxQueueBytes`; try again later. */
export class TokenQueueFullError extends Error {
  override readonly name = 'TokenQueueFullError'
  readonly code = 'token_queue_full'

  constructor(bytes: number, most: number) {
    super(
      `The queue is full: ${bytes} more bytes would exceed the limit of ${most}. Try again later`,
    )
  }
}

/** The counter was closed before the count was finished. */
export class TokenCounterClosedError extends Error {
  override readonly name = 'TokenCounterClosedError'
  readonly code = 'token_counter_closed'

  constructor() {
    super('The token counter is closed')
  }
}
