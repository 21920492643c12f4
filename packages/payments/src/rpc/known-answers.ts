import { zeroHash } from 'viem'

/** A call as it is sent. `params` is JSON, and equal calls have equal text. */
export type Question = { readonly method: string; readonly params: string }

/** Answers of the node that stay true for a moment. */
export type KnownAnswers = {
  find(key: string): unknown
  keep(question: Question, result: unknown): void
}

/** Calls with the same key are the same question. */
export function keyOf({ method, params }: Question): string {
  return method + params
}

/**
 * Keeps blocks by number and the receipts of mined transactions. Only a reorganization changes them,
 * and one that begins within `freshMs` might as well begin after it.
 */
export function createKnownAnswers(freshMs: number): KnownAnswers {
  const answers = new Map<string, { readonly at: number; readonly result: unknown }>()

  function put(key: string, result: unknown): void {
    const now = performance.now()
    for (const [oldest, { at }] of answers) {
      if (now - at < freshMs) break
      answers.delete(oldest)
    }
    answers.delete(key)
    answers.set(key, { at: now, result })
  }

  return {
    find(key) {
      const answer = answers.get(key)
      if (answer === undefined || performance.now() - answer.at >= freshMs) return undefined
      return answer.result
    },
    keep(question, result) {
      if (freshMs === 0 || typeof result !== 'object' || result === null) return
      const isReceipt = question.method === 'eth_getTransactionReceipt'
      if (isReceipt && !isUnfinished(result)) put(keyOf(question), result)
      if (question.method !== 'eth_getBlockByNumber' || !('number' in result)) return
      // The head is a block with a number too.
      const params = JSON.stringify([result.number, false])
      put(keyOf({ method: question.method, params }), result)
    },
  }
}

/** Whether it is from a block that is still being built, which has no hash. */
function isUnfinished(receipt: object): boolean {
  return 'blockHash' in receipt && receipt.blockHash === zeroHash
}
