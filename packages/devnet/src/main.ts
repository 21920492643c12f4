#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { openDevnet } from './open-devnet.ts'

const usage = `farebox-devnet [--dir .farebox] [--port 8545] [--block-time seconds]

Starts a local chain with test USDC and funded payers, writes <dir>/devnet.json once it is ready,
and runs until Ctrl-C. The chain is kept in <dir> for the next start.
`

const { values } = parseArgs({
  options: {
    dir: { type: 'string', default: process.env['DATA_DIR'] ?? '.farebox' },
    port: { type: 'string', default: '8545' },
    'block-time': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  process.stdout.write(usage)
} else {
  await run()
}

async function run(): Promise<void> {
  const stopping = new AbortController()
  process.once('SIGINT', () => stopping.abort())
  process.once('SIGTERM', () => stopping.abort())
  const blockTime = values['block-time']
  const devnet = await openDevnet(values.dir, {
    port: Number(values.port),
    ...(blockTime !== undefined && { blockTime: Number(blockTime) }),
  })
  process.stdout.write(
    [
      `Devnet ready at ${devnet.rpcUrl} (chain id ${devnet.chainId})`,
      `  USDC     ${devnet.usdc}`,
      `  treasury ${devnet.treasury.address}`,
      `  relayer  ${devnet.relayer.address}`,
      `  payers   ${devnet.payers.length}, 1,000 USDC each on a new chain; the first: ${devnet.payers[0]?.address ?? 'none'}`,
      `  keys     ${values.dir}/devnet.json\n`,
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
