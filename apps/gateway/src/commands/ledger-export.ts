import { once } from 'node:events'
import {
  channelLine,
  exportLine,
  type LedgerStore,
  movementLine,
  type OnCorruptRow,
} from '@farebox/ledger'
import { openExistingStore } from '../compose/open-store.ts'
import type { Config } from '../settings.ts'
import { createLeftOutRows } from './left-out-rows.ts'

/** Writes every payment to standard output as a line of JSON. */
export async function ledgerExport(config: Config): Promise<number> {
  return await writeLines(config, paymentLines)
}

/** Writes every payment channel, then every movement that does not belong to a payment. */
export async function channelExport(config: Config): Promise<number> {
  return await writeLines(config, channelLines)
}

/** Writes what the relayer paid for gas, each day and purpose as a line of JSON. */
export async function gasExport(config: Config): Promise<number> {
  return await writeLines(config, gasLines)
}

async function* gasLines(store: LedgerStore): AsyncGenerator {
  const everyDay = { from: 0, to: Number.MAX_SAFE_INTEGER }
  for (const { day, gas, fee, ...sum } of await store.gasByDay(everyDay)) {
    const date = new Date(day).toISOString().slice(0, 10)
    yield { day: date, ...sum, gas: gas.toString(), fee: fee.toString() }
  }
}

async function* paymentLines(store: LedgerStore, leaveOut: OnCorruptRow): AsyncGenerator {
  for await (const { payment, entries } of store.exportPayments(leaveOut))
    yield exportLine(payment, entries)
}

async function* channelLines(store: LedgerStore, leaveOut: OnCorruptRow): AsyncGenerator {
  for await (const channel of store.exportChannels(leaveOut)) {
    yield { channel: channelLine(channel) }
  }
  for await (const { movement, entries } of store.exportMovements(leaveOut)) {
    yield { movement: movementLine(movement, entries) }
  }
}

/** Waits while the reader of standard output is slower than the ledger. */
async function writeLines(
  config: Config,
  lines: (store: LedgerStore, leaveOut: OnCorruptRow) => AsyncIterable<unknown>,
): Promise<number> {
  const output = process.stdout
  const closed = new AbortController()
  output.once('error', () => {
    closed.abort()
  })
  const { leaveOut, exitCode } = createLeftOutRows()
  const store = await openExistingStore(config)
  try {
    for await (const line of lines(store, leaveOut)) {
      const hasRoom = output.write(`${JSON.stringify(line)}\n`)
      // If the reader (such as `head`) has closed, `drain` never fires.
      if (!hasRoom && !closed.signal.aborted) await once(output, 'drain').catch(() => undefined)
      if (closed.signal.aborted) break
    }
    return exitCode()
  } finally {
    await store.close()
  }
}
