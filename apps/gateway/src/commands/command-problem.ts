import { LedgerError, type LedgerErrorCode } from '@farebox/ledger'
import { DefaultModelError } from '@farebox/storefront'
import { ChainAccessError } from '../chain/chain-access.ts'
import { SigningAccountError } from '../chain/load-signing-account.ts'
import { OtherTreasuryError } from '../chain/refuse-other-treasury.ts'
import { ledgerFix } from '../compose/ledger-fix.ts'
import { WrongChainError } from '../compose/monitor-dependencies.ts'
import { MissingLedgerError } from '../compose/open-store.ts'

/** Why a command failed, in a sentence with its fix, and the exit code: 2 for a wrong setting. */
export type CommandProblem = { readonly message: string; readonly exitCode: 1 | 2 }

/** What an operator can act on in any command; `undefined` for other errors. */
export function commandProblem(error: unknown): CommandProblem | undefined {
  if (error instanceof WrongChainError) {
    return {
      message: `${error.message}. Set RPC_URL to a node of this network, or NETWORK to that of the node.`,
      exitCode: 2,
    }
  }
  if (
    error instanceof ChainAccessError ||
    error instanceof DefaultModelError ||
    error instanceof MissingLedgerError ||
    error instanceof OtherTreasuryError
  ) {
    return { message: error.message, exitCode: 2 }
  }
  if (error instanceof SigningAccountError) return { message: error.message, exitCode: 1 }
  return error instanceof LedgerError ? ledgerProblem(error) : undefined
}

function ledgerProblem(error: LedgerError): CommandProblem | undefined {
  const { code, message } = error
  if (!unopened.has(code)) return undefined
  const fix = ledgerFix(error)
  const advice = fix === undefined ? 'Check DATABASE_URL.' : `To fix it, ${fix}.`
  return {
    message: `The ledger cannot be opened: ${message}. ${advice}`,
    exitCode: code === 'schema_newer' || code === 'schema_older' ? 2 : 1,
  }
}

const unopened: ReadonlySet<LedgerErrorCode> = new Set([
  'schema_newer',
  'schema_older',
  'store_unavailable',
  'driver_missing',
  'node_too_old',
  'invalid_url',
])
