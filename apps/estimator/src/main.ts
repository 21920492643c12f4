import { pino } from 'pino'
import { helpText, readConfig } from './config.ts'
import { startEstimator } from './start-estimator.ts'

/** Runs the estimator until SIGTERM or Ctrl-C. */
async function main(words: readonly string[]): Promise<number> {
  if (words.includes('--help')) {
    process.stdout.write(helpText())
    return 0
  }
  const read = readConfig()
  if (read.status === 'invalid') {
    process.stderr.write(`The configuration cannot be used:\n  ${read.problems.join('\n  ')}\n`)
    return 2
  }
  const logger = pino({
    level: read.values.LOG_LEVEL,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
  })
  const stopping = stopSignal()
  const estimator = await startEstimator(read.values, logger)
  logger.info({ event: 'listening', url: estimator.url })
  await stopping
  await estimator.stop()
  logger.info({ event: 'stopped' })
  return 0
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => {
      resolve()
    })
    process.once('SIGINT', () => {
      resolve()
    })
  })
}

process.exitCode = await main(process.argv.slice(2))
