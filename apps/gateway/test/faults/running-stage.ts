import type { Devnet } from '@farebox/devnet'
import { privateKeyToAccount } from 'viem/accounts'
import { runGateway } from '../contract/run-gateway.ts'

type LogLine = Readonly<Record<string, unknown>>

/** A gateway in its own process, on a devnet that the test runs. */
export type RunningStage = {
  readonly url: string
  readonly pid: number
  /** The lines that the gateway has logged so far. */
  lines(): readonly LogLine[]
  account(index: number): ReturnType<typeof privateKeyToAccount>
  /** Runs a command on the same ledger and chain. */
  run(words: readonly string[]): Promise<{ readonly code: number | null; readonly stdout: string }>
  /** Ends the gateway by SIGTERM, and gives its exit code. */
  stop(): Promise<number | null>
}

/** Refunds at once, and refunds what was not served within five seconds. */
const prompt = {
  PORT: '0',
  REFUND_MIN_USDC: '0.000001',
  RESUME_SECONDS: '5',
  RATE_LIMIT_PER_MINUTE: '100000',
}

export async function runStage(
  devnet: Pick<Devnet, 'payers'>,
  settings: Readonly<Record<string, string>>,
): Promise<RunningStage> {
  const environment = { ...prompt, ...settings }
  const { child, url, ended } = runGateway([], environment)
  let logged = ''
  child.stdout?.on('data', (bytes: Buffer) => {
    logged += bytes.toString()
  })
  return {
    url: await url,
    pid: child.pid ?? 0,
    lines: () => logged.split('\n').slice(0, -1).map(parsed),
    account: (index) => {
      const payer = devnet.payers[index]
      if (payer === undefined) throw new Error(`no payer ${index}`)
      return privateKeyToAccount(payer.privateKey)
    },
    run: (words) => runGateway(words, environment).ended,
    stop: async () => {
      child.kill('SIGTERM')
      return (await ended).code
    },
  }
}

function parsed(line: string): LogLine {
  return JSON.parse(line) as LogLine
}
