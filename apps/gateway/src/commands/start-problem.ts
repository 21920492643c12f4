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
  const message = failure(error, config)
  return message === undefined ? undefined : { message, exitCode: 1 }
}

function failure(error: unknown, config: Config): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, syscall }: NodeJS.ErrnoException = error
  if ((code === 'ENOENT' || code === 'ENOTDIR') && syscall !== 'mkdir') return undefined
  const { HOST, PORT, DATA_DIR } = config
  switch (code) {
    case 'EADDRINUSE':
      return portTaken(portOf(error) ?? PORT, config)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EADDRNOTAVAIL':
      // A name that was asked for elsewhere is not HOST.
      if (syscall !== 'listen' && hostOf(error) !== HOST) return undefined
      return `HOST=${HOST} is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all.`
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOENT':
    case 'ENOTDIR':
      return syscall === 'listen'
        ? `This user may not listen on port ${PORT}. Set PORT to 1024 or above.`
        : `DATA_DIR=${DATA_DIR} is not writable (${code}). Give this user the folder, or set DATA_DIR to another.`
    case 'state_in_use':
      return `${error.message}. Stop that process, or set DATA_DIR to another folder.`
    case 'store_unavailable':
    case 'driver_missing':
    case 'node_too_old':
    case 'invalid_url':
      return `The ledger cannot be opened: ${error.message}. Check DATABASE_URL.`
    case 'missing_key':
    case 'unusable_account':
    case 'default_model_not_sold':
    case 'unsupported_platform':
      return error.message
    default:
      return undefined
  }
}

function portTaken(port: number, { METRICS_PORT }: Config): string {
  return port === METRICS_PORT
    ? `Port ${port} is taken. Set METRICS_PORT to another one.`
    : `Port ${port} is taken. Set PORT to another one; PORT=0 takes a free one.`
}

function hostOf(error: Error): unknown {
  return 'hostname' in error ? error.hostname : undefined
}

function portOf(error: Error): number | undefined {
  return 'port' in error && typeof error.port === 'number' ? error.port : undefined
}
