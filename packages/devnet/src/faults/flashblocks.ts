import { type LoopbackServer, readText, startLoopbackServer } from './loopback-server.ts'

/** A receipt from before its block: the node has executed the transaction, and may again. */
export type ShownReceipt = {
  readonly transactionHash: string
  /** Zero, since the block is not finished. */
  readonly blockHash: string
  readonly blockNumber: string
  readonly status: string
  readonly logs: readonly ShownLog[]
}

export type ShownLog = {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly logIndex: string
  readonly transactionHash: string
}

export type FlashblocksOptions = {
  /** URL of the real node. */
  readonly target: string
  /** How often what is pending is looked at. At each question by default. */
  readonly everyMs?: number
}

export type Flashblocks = {
  readonly url: string
  /** Replaces the receipts that the node shows; null hides one. */
  setShown(change: (receipt: ShownReceipt) => object | null): void
  stop(): Promise<void>
}

/**
 * A node with flashblocks in front of one without: it shows receipts of pending transactions, as nodes
 * of Base do. It executes them in their order on the latest block (`eth_simulateV1`); whether a block
 * then holds them is another matter, as there.
 */
export async function startFlashblocks(options: FlashblocksOptions): Promise<Flashblocks> {
  const { target, everyMs = 0 } = options
  const state: { change: (receipt: ShownReceipt) => object | null } = { change: (shown) => shown }
  let looked: { readonly at: number; readonly receipts: Promise<Receipts> } | undefined

  async function shown(hash: unknown): Promise<object | null> {
    const now = performance.now()
    if (looked === undefined || now - looked.at >= everyMs) {
      looked = { at: now, receipts: pendingReceipts(target) }
    }
    const receipt = (await looked.receipts).get(String(hash))
    return receipt === undefined ? null : state.change(receipt)
  }

  async function answerOf(body: string): Promise<string> {
    const asked: unknown = JSON.parse(body)
    const answers = await post(target, body)
    const added = await Promise.all(
      listOf(asked).map(async (call) => {
        const answer = answers.find(({ id }) => id === call.id)
        return call.method === 'eth_getTransactionReceipt' && answer?.result === null
          ? { ...answer, result: await shown(call.params?.[0]) }
          : answer
      }),
    )
    return JSON.stringify(Array.isArray(asked) ? added : added[0])
  }

  const server: LoopbackServer = await startLoopbackServer((request, response) => {
    readText(request)
      .then(answerOf)
      .then((text) => response.writeHead(200, { 'content-type': 'application/json' }).end(text))
      .catch(() => response.destroy())
  })
  return {
    url: server.url,
    setShown(change) {
      state.change = change
    },
    stop: server.stop,
  }
}

type Receipts = ReadonlyMap<string, ShownReceipt>
type Call = { readonly id?: unknown; readonly method?: unknown; readonly params?: unknown[] }
type Answer = { readonly id: unknown; readonly result?: unknown }

type PendingBlock = {
  readonly number: string
  readonly transactions: readonly (Simulated & { readonly hash: string })[]
}
type Simulated = { readonly from: string; readonly to: string; readonly input: string }
type SimulatedBlock = {
  readonly calls: readonly {
    readonly status: string
    readonly gasUsed: string
    readonly logs: readonly Omit<ShownLog, 'transactionHash' | 'logIndex'>[]
  }[]
}

/** Executes what is pending on the latest block. */
async function pendingReceipts(target: string): Promise<Receipts> {
  const block = await ask<PendingBlock>(target, 'eth_getBlockByNumber', ['pending', true])
  const { number: blockNumber, transactions } = block
  if (transactions.length === 0) return new Map()
  const calls = transactions.map(({ from, to, input }) => ({ from, to, input }))
  const simulation = { blockStateCalls: [{ calls }] }
  const [done] = await ask<SimulatedBlock[]>(target, 'eth_simulateV1', [simulation, 'latest'])
  let logs = 0
  return new Map(
    transactions.map(({ hash, from, to }, index) => {
      const call = done?.calls[index]
      const place = { blockHash: unfinished, blockNumber, transactionHash: hash }
      const receipt = {
        ...place,
        from,
        to,
        transactionIndex: hex(index),
        status: call?.status ?? '0x0',
        gasUsed: call?.gasUsed ?? '0x0',
        effectiveGasPrice: '0x0',
        contractAddress: null,
        type: '0x2',
        logs: (call?.logs ?? []).map(({ address, topics, data }) => ({
          ...place,
          address,
          topics,
          data,
          logIndex: hex(logs++),
          transactionIndex: hex(index),
          removed: false,
        })),
      }
      return [hash, receipt]
    }),
  )
}

const unfinished = `0x${'0'.repeat(64)}`

function hex(number: number): string {
  return `0x${number.toString(16)}`
}

async function ask<Result>(
  target: string,
  method: string,
  params: readonly unknown[],
): Promise<Result> {
  const [answer] = await post(target, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  return answer?.result as Result
}

async function post(target: string, body: string): Promise<readonly Answer[]> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(target, { method: 'POST', headers, body })
  const content: unknown = await response.json()
  return listOf(content) as readonly Answer[]
}

function listOf(content: unknown): readonly Call[] {
  return (Array.isArray(content) ? content : [content]) as readonly Call[]
}
