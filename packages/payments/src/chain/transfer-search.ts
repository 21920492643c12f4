import type { Hex } from '@farebox/ledger'
import type { ChainReader } from './chain.ts'
import { placeOf } from './log-place.ts'
import type { SearchLogs } from './search-logs.ts'
import {
  authorizationUsed,
  type MinedLog,
  readTransfer,
  topicOf,
  transfer,
  transferOf,
} from './token-logs.ts'

/** How many payers one query for authorizations may name. */
const payersPerQuery = 200

/** Finds every transfer from or to an address, each with the authorization behind it, if any. */
export function createTransferSearch(searchLogs: SearchLogs): ChainReader['transfersOf'] {
  return async function transfersOf({ asset, address, fromBlock, toBlock }) {
    const range = { address: asset, fromBlock, toBlock }
    const outgoing = await searchLogs({ ...range, topics: [transfer, topicOf(address)] })
    const incoming = await searchLogs({ ...range, topics: [transfer, null, topicOf(address)] })
    // A transfer to oneself is found twice, as outgoing and as incoming, but has only one place.
    const byPlace = new Map([...outgoing, ...incoming].map((log) => [placeOf(log), log]))
    const payers = [...new Set([...byPlace.values()].flatMap((log) => log.topics[1] ?? []))]
    const nonces = new Map<string, Hex>()
    for (let at = 0; at < payers.length; at += payersPerQuery) {
      const some = payers.slice(at, at + payersPerQuery)
      for (const used of await searchLogs({ ...range, topics: [authorizationUsed, some] })) {
        const nonce = used.topics[2]
        const paired = transferOf(used, logsAfter(used, byPlace))
        if (nonce !== undefined && paired !== undefined) nonces.set(placeOf(paired.proof), nonce)
      }
    }
    return [...byPlace.values()].sort(inOrder).flatMap((log) => {
      const found = readTransfer(log)
      return found === undefined ? [] : [{ ...found, nonce: nonces.get(placeOf(log)) ?? null }]
    })
  }
}

function logsAfter(used: MinedLog, byPlace: ReadonlyMap<string, MinedLog>): readonly MinedLog[] {
  const next = byPlace.get(placeOf({ blockHash: used.blockHash, logIndex: used.logIndex + 1 }))
  return next === undefined ? [] : [next]
}

function inOrder(a: MinedLog, b: MinedLog): number {
  return a.block - b.block || a.logIndex - b.logIndex
}
