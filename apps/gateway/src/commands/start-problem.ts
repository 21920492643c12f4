import { listenProblem } from '@farebox/http'
import { LedgerError } from '@farebox/ledger'
import { DefaultModelError } from '@farebox/storefront'
import { ChainAccessError } from '../chain/chain-access.ts'
import { laterVersionFix } from '../compose/later-version-fix.ts'
import { WrongChainError } from '../compose/monitor-dependencies.ts'
import type { Config } from '../settings.ts'

/** Why a start failed, in a sentence with its fix, and the exit code. */
export type StartProblem = { readonly message: string; readonly exitCode: 1 | 2 }

/** What an operator can act on; `undefined` for any other error, whose stack is needed. */
export function startProblem(error: unknown, config: Config): StartProblem | undefined {
  if (error instanceof WrongChainError) {
    return {
      message: `${error.message}. Set RPC_URL to a node of this network, or NETWORK to that of the node.`,
      exitCode: 2,
    }
  }
  if (error instanceof LedgerError && error.code === 'schema_newer') {
    const message = `The ledger cannot be opened: ${error.message}. To fix it, ${laterVersionFix}.`
    return { message, exitCode: 2 }
  }
  if (error instanceof ChainAccessError || error instanceof DefaultModelError) {
    return { message: error.message, exitCode: 2 }
  }
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
    case 'state_in_use':
      return `${error.message}. Stop that process, or set DATA_DIR to another folder.`
    case 'start_failed':
      return `The devnet cannot start: ${error.message}.`
    case 'store_unavailable':
    case 'driver_missing':
    case 'node_too_old':
    case 'invalid_url':
      return `The ledger cannot be opened: ${error.message}. Check DATABASE_URL.`
    case 'unusable_account':
    case 'unsupported_platform':
      return error.message
    default:
      return undefined
  }
}

function isMetricsPort(error: Error, { METRICS_PORT }: Config): boolean {
  return 'port' in error && error.port === METRICS_PORT
}
