import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Suite } from '../suite.ts'

const root = join(import.meta.dirname, '..', '..', '..', '..')

/** Benchmarks inside packages: separate programs, run one at a time. */
export const programs: readonly Suite[] = [
  program('pricing', 'CPU of a quote, a bill, an explanation', 'packages/pricing/bench/quotes.ts'),
  program(
    'tokenizer',
    'counting, compared with tiktoken, gpt-tokenizer, ai-tokenizer',
    'packages/tokenizer/bench/speed.ts',
  ),
  program(
    'tokenizer-worst-cases',
    'counting the most expensive texts, cold and warm',
    'packages/tokenizer/bench/worst-cases.ts',
  ),
  program('ledger', 'durable commits, single and grouped', 'packages/ledger/bench/commits.ts'),
  program(
    'payments',
    'the payment check, compared with viem; settlements, refunds, gas',
    'packages/payments/bench/chain.ts',
  ),
  program(
    'channel-gas',
    'gas of a payment channel, and of a call that it pays, compared with exact',
    'packages/payments/bench/channel-gas.ts',
  ),
  program(
    'gate',
    'a sale without the chain: check, claim, proof',
    'packages/payments/bench/gate.ts',
  ),
  program(
    'relay',
    'a relayed response, compared with a proxy that copies bytes',
    'packages/provider-proxy/bench/relay.ts',
  ),
]

function program(name: string, question: string, file: string): Suite {
  return { name, question, run: () => runProgram(file) }
}

async function runProgram(file: string): Promise<undefined> {
  const child = spawn(process.execPath, ['--conditions=farebox-source', file], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${file} exited with ${String(code)}`)
  return undefined
}
