import { parentPort, workerData } from 'node:worker_threads'
import { createCounter } from './counter/counter.ts'
import type { TokenCount } from './counter/token-count.ts'
import { viewTables } from './engine/bpe/bpe-tables.ts'
import type { EncodingName } from './engine/encoding-name.ts'
import { createTextEngine, type TextEngine } from './engine/text-engine.ts'
import type { CountJob, CountReply, SharedVocabulary, WorkerStart } from './pool/count-job.ts'

const { stopped, factors } = workerData as WorkerStart
const stoppedId = new Int32Array(stopped)
const engines = new Map<EncodingName, TextEngine>()

parentPort?.on('message', (job: CountJob) => parentPort?.postMessage(run(job)))

function run(job: CountJob): CountReply {
  const start = performance.now()
  const elapsed = (): number => performance.now() - start
  const shouldStop = (): boolean =>
    Atomics.load(stoppedId, 0) === job.id || elapsed() > job.milliseconds
  const engine = engineFor(job.vocabulary)
  const counter = createCounter(
    job.counter,
    {
      encoding: engine.encoding,
      countTokens: (text) => engine.countTokens(text, { shouldStop }),
    },
    factors[job.counter],
  )
  const counts: TokenCount[] = []
  for (const text of job.texts) {
    const count = counter.countText(text)
    if (count.tokens < 0) break
    counts.push(count)
    if (shouldStop()) break
  }
  return { id: job.id, counts, milliseconds: elapsed() }
}

function engineFor(vocabulary: SharedVocabulary | EncodingName): TextEngine {
  if (typeof vocabulary !== 'string') {
    const tables = viewTables(vocabulary.memory, vocabulary.header)
    engines.set(vocabulary.header.encoding, createTextEngine({ ...vocabulary, tables }))
    return engineFor(vocabulary.header.encoding)
  }
  const engine = engines.get(vocabulary)
  if (engine === undefined)
    throw new RangeError(`The vocabulary ${vocabulary} is not loaded in this worker`)
  return engine
}
