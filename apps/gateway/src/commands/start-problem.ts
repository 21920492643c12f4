import { listenProblem } from '@farebox/http'
import type { Config } from '../settings.ts'
import { type CommandProblem, commandProblem } from './command-problem.ts'

/** What an operator can act on; `undefined` for any other error, whose stack is needed. */
export function startProblem(error: unknown, config: Config): CommandProblem | undefined {
  const problem = commandProblem(error)
  if (problem !== undefined) return problem
  const message = failure(error, config)
  return message === undefined ? undefined : { message, exitCode: 1 }
}

function failure(error: unknown, config: Config): string | undefined {
  if (!(error instanceof Error)) return undefined
  const listening = listenProblem(error, config)
  if (listening !== undefined) {
    return isMetricsPort(error, config)
      ? listening.replaceAll(/\bPORT\b/g, 'METRICS_PORT')
      : listening
  }
  const { code, syscall }: NodeJS.ErrnoException = error
  if ((code === 'ENOENT' || code === 'ENOTDIR') && syscall !== 'mkdir') return undefined
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOENT':
    case 'ENOTDIR':
      return `DATA_DIR=${config.DATA_DIR} is not writable (${code}). Give this user the folder, or set DATA_DIR to another.`
    case 'EEXIST':
      return `DATA_DIR=${config.DATA_DIR} is not a folder. Set DATA_DIR to one, or to a path where nothing is.`
    case 'state_in_use':
      return `${error.message}. Stop that process, or set DATA_DIR to another folder.`
    case 'start_failed':
      return `The devnet cannot start: ${error.message}.`
    case 'unsupported_platform':
      return error.message
    default:
      return undefined
  }
}

function isMetricsPort(error: Error, { METRICS_PORT }: Config): boolean {
  return 'port' in error && error.port === METRICS_PORT
}
