#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { openDevnet } from './open-devnet.ts'

const usage = `farebox-devnet [--dir .farebox] [--port 8545] [--block-time seconds]

Starts a local chain with test USDC and funded payers, writes <dir>/devnet.json once it is ready,
and runs until Ctrl-C. The chain is kept in <dir> for the next start.
`

const options = {
  dir: { type: 'string', default: process.env['DATA_DIR'] ?? '.farebox' },
  port: { type: 'string', default: '8545' },
  'block-time': { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

try {
  await runFromArgs()
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exitCode = 1
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const isOfFolder = 'path' in error && 'syscall' in error
  return isOfFolder ? `${error.message}. --dir or DATA_DIR sets another folder.` : error.message
}

async function runFromArgs(): Promise<void> {
  const read = readArgs()
  if (typeof read === 'string') {
    process.stderr.write(`${read}\n\n${usage}`)
    process.exitCode = 2
  } else if (read.help) {
    process.stdout.write(usage)
  } else {
    const { help: _, ...args } = read
    await run(args)
  }
}

/** The arguments, or why they are wrong. */
function readArgs() {
  try {
    const { dir, help, port, 'block-time': blockTime } = parseArgs({ options }).values
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) return `--port ${port} is not a port.`
    if (blockTime !== undefined && !(Number(blockTime) > 0))
      return `--block-time ${blockTime} is not a number of seconds.`
    const given = blockTime !== undefined && { blockTime: Number(blockTime) }
    return { dir, help, port: Number(port), ...given }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

type Args = { readonly dir: string; readonly port: number; readonly blockTime?: number }

async function run({ dir, ...chain }: Args): Promise<void> {
  const stopping = new AbortController()
  process.once('SIGINT', () => stopping.abort())
  process.once('SIGTERM', () => stopping.abort())
  const devnet = await openDevnet(dir, chain)
  process.stdout.write(
    [
      `Devnet ready at ${devnet.rpcUrl} (chain id ${devnet.chainId})`,
      `  USDC     ${devnet.usdc}`,
      `  treasury ${devnet.treasury.address}`,
      `  relayer  ${devnet.relayer.address}`,
      `  payers   ${devnet.payers.length}, 1,000 USDC each on a new chain; the first: ${devnet.payers[0]?.address ?? 'none'}`,
      `  keys     ${dir}/devnet.json\n`,
    ].join('\n'),
  )
  await Promise.race([devnet.ended, aborted(stopping.signal)])
  await devnet.stop()
  if (stopping.signal.aborted) return
  process.stderr.write('The chain exited unexpectedly.\n')
  process.exitCode = 1
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
}
