type Asked = { readonly method: string; readonly params?: unknown }

/** Answers of the node that stay true for a moment. */
export type KnownAnswers = {
  find(key: string): unknown
  keep(asked: Asked, result: unknown): void
}

/** Calls with the same key are the same question. */
export function keyOf({ method, params }: Asked): string {
  return JSON.stringify([method, params])
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
    keep(asked, result) {
      if (freshMs === 0 || typeof result !== 'object' || result === null) return
      if (asked.method === 'eth_getTransactionReceipt') put(keyOf(asked), result)
      if (asked.method !== 'eth_getBlockByNumber' || !('number' in result)) return
      // The head is a block with a number too.
      put(keyOf({ method: asked.method, params: [result.number, false] }), result)
    },
  }
}
