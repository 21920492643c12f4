import { listenProblem, onReloadSignal, stopSignal } from '@farebox/http'
import { createLogger, lineFormat } from '@farebox/http/log'
import { describeProblems } from '@farebox/settings'
import { helpText, readConfig, usageText, warnings } from './config.ts'
import { startEstimator } from './start-estimator.ts'
import { version } from './version.ts'

/** Runs the estimator until SIGTERM or Ctrl-C. */
export async function runEstimator(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(helpText())
    return 0
  }
  if (args.includes('--version')) {
    process.stdout.write(`${version}\n`)
    return 0
  }
  if (args.length > 0) {
    process.stderr.write(`Unknown command: ${args.join(' ')}\n\n${usageText()}`)
    return 2
  }
  for (const text of warnings()) process.stderr.write(`Warning: ${text}\n`)
  const read = readConfig()
  if (read.status === 'invalid') {
    process.stderr.write(describeProblems(read.problems))
    return 2
  }
  const logger = createLogger(read.values.LOG_LEVEL, await lineFormat(read.values, process.stdout))
  process.once('exit', () => {
    logger.flush()
  })
  const stopping = stopSignal()
  try {
    const estimator = await startEstimator(read.values, logger)
    onReloadSignal(estimator.reload)
    logger.info({ event: 'listening', url: estimator.url })
    await stopping
    await estimator.stop()
    logger.info({ event: 'stopped' })
    return 0
  } catch (err) {
    const reason = listenProblem(err, read.values)
    logger.fatal({ event: 'failed', ...(reason === undefined ? { err } : { reason }) })
    if (reason !== undefined) process.stderr.write(`${reason}\n`)
    return 1
  }
}
