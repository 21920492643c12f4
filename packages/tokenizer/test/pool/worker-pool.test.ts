import { afterEach, expect, test } from 'vitest'
import { countInPool, type PooledCounts } from '../../src/pool/count-in-pool.ts'
import { createWorkerPool, TokenWorkerError, type WorkerPool } from '../../src/pool/worker-pool.ts'
import { loadShippedVocabulary } from '../../src/vocabulary/shipped-vocabulary.ts'

const open: WorkerPool[] = []
const vocabulary = loadShippedVocabulary('cl100k_base', (bytes) => new SharedArrayBuffer(bytes))

function mortalPool(): WorkerPool {
  const file = new URL('../fixtures/dying-worker.ts', import.meta.url)
  const pool = createWorkerPool({ workers: 1, factors: {}, file })
  open.push(pool)
  return pool
}

afterEach(async () => {
  for (const pool of open.splice(0)) await pool.close()
})

function count(pool: WorkerPool, text: string): Promise<PooledCounts> {
  const limits = { milliseconds: 5000, signals: [], atMost: Number.POSITIVE_INFINITY }
  return countInPool(pool, { counter: 'openai-cl100k', vocabulary, texts: [text], ...limits })
}

test('a crashed thread fails only its request, and is replaced', async () => {
  const pool = mortalPool()
  const before = count(pool, 'hello world')
  const lost = count(pool, 'die')
  const after = count(pool, 'hello world')
  const results = [{ count: { tokens: 2, method: 'exact', upperBound: 2 }, counted: true }]
  const counted = { results, endedBy: undefined }
  await expect(lost).rejects.toThrow(TokenWorkerError)
  await expect(lost).rejects.toMatchObject({ code: 'token_worker' })
  expect(await before).toEqual(counted)
  expect(await after).toEqual(counted)
})
