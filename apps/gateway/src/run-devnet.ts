import { openDevnet } from '@farebox/devnet'
import { stopSignal } from '@farebox/http'
import { refuseConfig } from './commands/refuse-config.ts'
import { startProblem } from './commands/start-problem.ts'
import { readConfig } from './config.ts'
import type { Config } from './settings.ts'

/** `npm run devnet`: runs only the chain with its token, until Ctrl-C. Returns the exit code. */
export async function runDevnet(): Promise<number> {
  const parsed = readConfig()
  if (parsed.status === 'invalid') {
    return refuseConfig(parsed.problems)
  }
  try {
    await runUntilStopped(parsed.config)
    return 0
  } catch (error) {
    const problem = startProblem(error, parsed.config)
    if (problem === undefined) throw error
    process.stderr.write(`${problem.message}\n`)
    return problem.exitCode
  }
}

async function runUntilStopped(config: Config): Promise<void> {
  const {
    DATA_DIR: folder,
    TREASURY_PRIVATE_KEY: treasuryKey,
    RELAYER_PRIVATE_KEY: relayerKey,
  } = config
  const stopped = stopSignal()
  const devnet = await openDevnet(folder, {
    ...(treasuryKey && { treasuryKey }),
    ...(relayerKey && { relayerKey }),
  })
  process.stdout.write(
    `Devnet ready: ${devnet.rpcUrl} (chain id ${devnet.chainId}); keys in ${folder}/devnet.json\n`,
  )
  await stopped
  await devnet.stop()
}
