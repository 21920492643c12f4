import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, type DevnetAccount, startDevnet, writeDevnetFile } from '@farebox/devnet'
import { privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import { type Ended, type GatewayProcess, runGateway } from '../contract/run-gateway.ts'
import type { PublicRecord } from '../support/open-gateway.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'

/**
 * The gateway under attack, in its own process: this one, or the built one whose main file
 * `ATTACKED_GATEWAY` names, such as that of an earlier version. Attacks use HTTP and the chain only.
 */
const program = process.env['ATTACKED_GATEWAY']

export type Attacked = {
  readonly url: string
  readonly devnet: Devnet
  readonly running: GatewayProcess
  /** Runs a command on the same ledger. */
  command(word: string): Promise<Ended>
  stop(): Promise<void>
}

type Environment = Readonly<Record<string, string>>

function startProgram(words: readonly string[], environment: Environment): GatewayProcess {
  return program === undefined
    ? runGateway(words, environment)
    : runGateway(words, environment, [program])
}

/** A gateway with its own ledger on a devnet. */
export async function attackedOn(devnet: Devnet, environment: Environment = {}): Promise<Attacked> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-attacked-'))
  await writeDevnetFile(join(folder, 'devnet.json'), devnet)
  const settings = {
    PORT: '0',
    DATA_DIR: folder,
    RPC_URL: devnet.rpcUrl,
    REFUND_MIN_USDC: '0.000001',
    RATE_LIMIT_PER_MINUTE: '100000',
    ...environment,
  }
  const running = startProgram([], settings)
  return {
    url: await running.url,
    devnet,
    running,
    command: (word) => startProgram([word], settings).ended,
    async stop() {
      running.child.kill('SIGTERM')
      await running.ended
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** The same, with its own devnet. */
export async function attacked(payers: number, environment: Environment = {}): Promise<Attacked> {
  const devnet = await startDevnet({ payers })
  const gateway = await attackedOn(devnet, environment)
  return {
    ...gateway,
    async stop() {
      await gateway.stop()
      await devnet.stop()
    },
  }
}

/** Writes what an attack achieved, since a limit that holds does not say how well. */
export function figure(text: string): void {
  process.stderr.write(`${text}\n`)
}

export type Purchase = {
  readonly payer: DevnetAccount
  readonly body: unknown
  readonly path?: string
  readonly headers?: Environment
  readonly signal?: AbortSignal
}

/** The payment headers for a request. */
export async function signedFor(
  { url }: Pick<Attacked, 'url'>,
  { payer, body, path = chatPath }: Purchase,
): Promise<Readonly<Record<string, string>>> {
  const account = () => privateKeyToAccount(payer.privateKey)
  return (await signPayment({ url, account }, 0, { body, path })).v2
}

/** Signs what a request asks for and sends it with the payment. */
export async function purchase(gateway: Attacked, buying: Purchase): Promise<Response> {
  const { body, path = chatPath, headers, signal } = buying
  return await fetch(gateway.url + path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...headers,
      ...(await signedFor(gateway, buying)),
    },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
}

/** The status of a purchase whose response is read to its end. */
export async function statusOf(gateway: Attacked, buying: Purchase): Promise<number> {
  const response = await purchase(gateway, buying)
  await response.arrayBuffer()
  return response.status
}

/** The status of a request that pays nothing. */
export async function unpaidStatus({ url }: Attacked, body: unknown): Promise<number> {
  const response = await post({ url }, chatPath, { body })
  await response.arrayBuffer()
  return response.status
}

/** The record of a payment, once its cost is fixed. */
export async function finalRecord({ url }: Attacked, id: string): Promise<PublicRecord> {
  const read = async (): Promise<PublicRecord> =>
    (await (await fetch(`${url}/v1/payments/${id}`)).json()) as PublicRecord
  await expect.poll(async () => (await read()).cost ?? null, { timeout: 60_000 }).not.toBeNull()
  return await read()
}

export type Spent = { readonly transactions: number; readonly gas: number }

/** What the relayer's transactions use while `work` runs, and until none has followed for a second. */
export async function spentBy(devnet: Devnet, work: () => Promise<unknown>): Promise<Spent> {
  const before = Number(await devnet.rpc('eth_blockNumber', []))
  await work()
  await untilQuiet(devnet)
  const head = Number(await devnet.rpc('eth_blockNumber', []))
  let [transactions, gas] = [0, 0]
  for (let number = before + 1; number <= head; number += 1) {
    const receipts = await devnet.rpc<readonly { from: string; gasUsed: string }[]>(
      'eth_getBlockReceipts',
      [`0x${number.toString(16)}`],
    )
    for (const { from, gasUsed } of receipts) {
      if (from !== devnet.relayer.address.toLowerCase()) continue
      transactions += 1
      gas += Number(gasUsed)
    }
  }
  return { transactions, gas }
}

/** How many transactions the relayer has sent. */
export async function sentBy(devnet: Devnet): Promise<number> {
  return Number(await devnet.rpc('eth_getTransactionCount', [devnet.relayer.address, 'pending']))
}

/** Waits until the relayer has sent nothing for a second. */
export async function untilQuiet(devnet: Devnet): Promise<void> {
  for (let [last, quiet] = [-1, 0]; quiet < 10; ) {
    const sent = await sentBy(devnet)
    quiet = sent === last ? quiet + 1 : 0
    last = sent
    await pause(0.1)
  }
}

export const pause = (seconds: number) =>
  new Promise((resolve) => setTimeout(resolve, seconds * 1000))

/** Processor time of the gateway's process so far, in milliseconds. */
export async function processorTime({ running }: Attacked): Promise<number> {
  const stat = await readFile(`/proc/${running.child.pid}/stat`, 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) * 10
}
