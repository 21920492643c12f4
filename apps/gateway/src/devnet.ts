import { openDevnet } from '@farebox/devnet'
import { stopSignal } from '@farebox/http'
import { readConfig } from './config.ts'

/** `npm run devnet`: runs only the chain with its token, until Ctrl-C. */
async function runDevnet(): Promise<void> {
  const parsed = readConfig()
  if (parsed.status === 'invalid') {
    process.stderr.write(`The configuration is not valid:\n  ${parsed.problems.join('\n  ')}\n`)
    process.exitCode = 2
    return
  }
  const {
    DATA_DIR: folder,
    TREASURY_PRIVATE_KEY: treasuryKey,
    RELAYER_PRIVATE_KEY: relayerKey,
  } = parsed.config
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

await runDevnet()
