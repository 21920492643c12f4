import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, type DevnetAccount, usdcAddress, writeDevnetFile } from '@farebox/devnet'
import { createLogger, type Logger } from '@farebox/http/log'
import { createPublicClient, erc20Abi, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { readConfig } from '../../src/config.ts'
import { type Gateway, startGateway } from '../../src/start-gateway.ts'

export type TestGateway = Gateway & {
  readonly folder: string
  payer(index: number): DevnetAccount
  account(index: number): ReturnType<typeof privateKeyToAccount>
  balance(address: string): Promise<bigint>
  /** Waits until a payment's refund is confirmed on chain, and gives the public record. */
  refunded(id: string): Promise<PublicRecord>
  record(id: string): Promise<PublicRecord>
  /** How many requests with this label reached the sandbox. */
  sandboxCalls(label: string): number
}

export type PublicRecord = {
  readonly id: string
  readonly status: string
  readonly kind?: string
  readonly model: string
  readonly payer: string
  readonly createdAt: string
  readonly paid: { readonly usdc: string }
  readonly cost: { readonly usdc: string } | null
  readonly refund: {
    readonly usdc: string
    readonly status: string
    readonly transaction: string | null
  } | null
  readonly usage: Readonly<Record<string, unknown>> | null
}

/** Answers in milliseconds; the sandbox takes two seconds, as models do, unless a request says otherwise. */
const quickly = { instruct: 'first_token_ms=5 tokens_per_second=2000' }

/** A new gateway on free ports, with its devnet, ledger and sandbox, refunding at once. */
export async function openGateway(
  environment: Readonly<Record<string, string>> = {},
  logger?: Logger,
): Promise<TestGateway> {
  const folder = environment['DATA_DIR'] ?? (await mkdtemp(join(tmpdir(), 'farebox-')))
  const parsed = readConfig({
    PORT: '0',
    DATA_DIR: folder,
    REFUND_MIN_USDC: '0.000001',
    RATE_LIMIT_PER_MINUTE: '100000',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    ...environment,
  })
  if (parsed.status === 'invalid') throw new Error(parsed.problems.join(' '))
  // A browser that used the folder may still be writing its last files.
  const removal = { recursive: true, force: true, maxRetries: 10 }
  const removeFolder = async (): Promise<void> => {
    if (environment['DATA_DIR'] === undefined) await rm(folder, removal)
  }
  const gateway = await startGateway({
    config: parsed.config,
    logger: logger ?? createLogger(parsed.config.LOG_LEVEL),
    version: '0.0.0-test',
    drainMs: 2_000,
  }).catch(async (error: unknown) => {
    await removeFolder()
    throw error
  })
  gateway.sandbox?.setFaults([quickly])
  const chain = createPublicClient({ transport: http(gateway.access.rpcUrl) })

  function payer(index: number): DevnetAccount {
    const account = gateway.access.devnet?.payers[index]
    if (account === undefined) throw new Error(`no payer ${index}`)
    return account
  }
  async function record(id: string): Promise<PublicRecord> {
    const answer = await fetch(`${gateway.url}/v1/payments/${id}`)
    return (await answer.json()) as PublicRecord
  }
  return {
    ...gateway,
    folder,
    payer,
    account: (index) => privateKeyToAccount(payer(index).privateKey),
    balance: (address) =>
      chain.readContract({
        address: usdcAddress,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [address as `0x${string}`],
      }),
    record,
    sandboxCalls: (label) =>
      gateway.sandbox?.requests.filter((request) => request.label === label).length ?? 0,
    refunded: async (id) => {
      for (let attempt = 0; attempt < 2_400; attempt += 1) {
        const now = await record(id)
        if (now.refund?.status === 'confirmed' || (now.refund === null && now.cost !== null))
          return now
        await new Promise((resolve) => setTimeout(resolve, 25))
      }
      throw new Error(`the refund of ${id} did not come: ${JSON.stringify(await record(id))}`)
    },
    stop: async () => {
      await gateway.stop()
      await removeFolder()
    },
  }
}

/** A gateway on a devnet that the test runs and rules over. */
export async function openGatewayOn(
  devnet: Devnet,
  environment: Readonly<Record<string, string>> = {},
  logger?: Logger,
): Promise<TestGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-'))
  await writeDevnetFile(join(folder, 'devnet.json'), devnet)
  const own = { DATA_DIR: folder, RPC_URL: devnet.rpcUrl }
  const gateway = await openGateway({ ...own, ...environment }, logger)
  return {
    ...gateway,
    stop: async () => {
      await gateway.stop()
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}
