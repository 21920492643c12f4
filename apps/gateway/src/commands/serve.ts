import { setTimeout as sleep } from 'node:timers/promises'
import { onReloadSignal, stopSignal } from '@farebox/http'
import { createLogger, type Logger, lineFormat } from '@farebox/http/log'
import { createFolder } from '@farebox/ledger/sql'
import type { ChainAccess } from '../chain/chain-access.ts'
import { checkCharge } from '../doctor/check-charge.ts'
import { finding } from '../doctor/finding.ts'
import { withoutProviders } from '../doctor/without-providers.ts'
import type { Config } from '../settings.ts'
import { startGateway } from '../start-gateway.ts'
import { version } from '../version.ts'
import { welcomeText } from '../welcome.ts'
import { startProblem } from './start-problem.ts'

/** Runs the gateway until SIGTERM, Ctrl-C or the end of its terminal, then drains. */
export async function serve(config: Config): Promise<number> {
  const logger = createLogger(config.LOG_LEVEL, await lineFormat(config, process.stdout))
  process.once('exit', () => {
    logger.flush()
  })
  const stopping = stopSignal()
  try {
    if (config.DATABASE_URL === undefined) createFolder(config.DATA_DIR)
    const starting = startGateway({ config, logger, version })
    onReloadSignal(() => void starting.then(({ reload }) => reload()).catch(() => undefined))
    await Promise.race([starting, stopping.then(() => exitUnlessStarted(starting))])
    const gateway = await starting
    const { url, access, payments, sandbox, chatModel } = gateway
    const { treasury } = payments
    logger.info({
      event: 'listening',
      url,
      network: config.NETWORK,
      treasury,
      sandbox: sandbox !== undefined,
    })
    warnOfProviders(config, logger)
    const { rpcUrl, devnet } = access
    if (devnet !== undefined) {
      // Standard output is only for log lines.
      process.stderr.write(welcomeText({ url, config, rpcUrl, devnet, chatModel }))
    }
    await Promise.race([stopping, warnOfGas(config, access, logger)])
    await stopping
    logger.info({ event: 'stopping' })
    // Without its database or node, the last rounds fail; the next start completes them.
    await gateway.stop().catch((err: unknown) => {
      logger.warn({ event: 'fault', during: 'stop', err })
    })
    logger.info({ event: 'stopped' })
    return 0
  } catch (err) {
    const problem = startProblem(err, config)
    if (problem === undefined) {
      logger.fatal({ event: 'failed', err })
      return 1
    }
    logger.fatal({ event: 'failed', reason: problem.message })
    process.stderr.write(`${problem.message}\n`)
    return problem.exitCode
  }
}

/** A misspelled name of a key would otherwise show only as an empty list of models. */
function warnOfProviders(config: Config, logger: Logger): void {
  for (const { verdict, message, fix } of withoutProviders(config)) {
    if (verdict === 'wrong') logger.warn({ event: 'no_provider', reason: message, fix })
  }
}

async function warnOfGas(config: Config, access: ChainAccess, logger: Logger): Promise<void> {
  const charge = await finding({ subject: 'charge', fix: '' }, () => checkCharge(config, access))
  for (const { verdict, message, fix } of charge) {
    if (verdict === 'note') logger.warn({ event: 'charge_below_gas', reason: message, fix })
  }
}

/** Exits if the start hangs, since there is nothing to drain yet. */
async function exitUnlessStarted(starting: Promise<unknown>): Promise<void> {
  const late = sleep(5_000, 'late', { ref: false })
  if ((await Promise.race([starting, late])) === 'late') process.exit(0)
}
