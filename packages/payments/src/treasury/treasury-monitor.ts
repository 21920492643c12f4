import type { Hex } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import { faultReporter } from '../events/fault-reporter.ts'
import type { TreasuryFault } from '../events/payment-events.ts'
import {
  type PaymentPorts,
  type PaymentPortsOptions,
  paymentPorts,
} from '../policy/payment-ports.ts'
import { createLoop, type Loop } from '../scheduling/background-loop.ts'
import { createBalanceAlarms } from './balance-alarms.ts'
import { createTokenCheck } from './token-check.ts'
import { createTransferWatch, type TreasuryAccounts } from './unexpected-transfers.ts'

export type TreasuryMonitorOptions = PaymentPortsOptions & {
  readonly chainId: number
  readonly asset: Hex
  readonly treasury: Hex
  /** Accounts that the owner moves the treasury's money to, by any kind of transfer. */
  readonly ownAccounts?: readonly Hex[]
  /** Settles payments and pays gas; its balance is checked too. */
  readonly relayer?: Hex | undefined
}

export type TreasuryMonitor = Loop & {
  /** Checks the treasury once. */
  runOnce(): Promise<void>
}

/**
 * Compares the treasury with the ledger and reports when sales have to stop, and when they may
 * resume, as it does while the token's issuer blocks the treasury or has paused the token. A treasury
 * that is short covers what it owes again once it is topped up; a transfer that
 * should not exist remains a fault until this process is restarted, and after that while it is
 * among the last `treasuryLookBackBlocks`.
 *
 * It begins with those blocks. After that it reads the blocks since its last check, and as many
 * before them as a refund waits for; the audit covers the whole history. Refunds continue meanwhile.
 */
export function createTreasuryMonitor(options: TreasuryMonitorOptions): TreasuryMonitor {
  const { chainId, asset, treasury, ownAccounts = [], relayer } = options
  const ports = paymentPorts(options)
  const { treasuryLookBackBlocks: lookBackBlocks, refundConfirmations: rereadBlocks } = ports.policy
  const blocks = { lookBackBlocks, rereadBlocks }
  const accounts = { chainId, asset, treasury, ownAccounts, relayer, ...blocks }
  const checkBalances = createBalanceAlarms(ports, { asset, treasury, relayer })
  const checkToken = createTokenCheck(ports, { asset, treasury })
  const checkFaults = createFaultCheck(ports, accounts)

  async function runOnce(): Promise<void> {
    await checkBalances()
    await checkToken()
    await checkFaults()
  }

  const { timers, policy } = ports
  const loop = createLoop({
    timers,
    everyMs: policy.treasuryPollMs,
    work: runOnce,
    onFault: faultReporter(ports, 'treasury'),
  })
  return { ...loop, runOnce }
}

/** Balances are checked again once the node has been behind for so long: its chain may be shorter now. */
const behindMs = 600_000

/** Reports each fault once, for as long as it lasts. */
function createFaultCheck(ports: PaymentPorts, accounts: TreasuryAccounts): () => Promise<void> {
  const { notify, chain, clock } = ports
  const readUnexpected = createTransferWatch({ ...ports, ...accounts })
  const faults = new Set<TreasuryFault>()
  let highest = { number: 0, at: 0 }

  function raise(reason: TreasuryFault, details: FaultDetails): void {
    if (faults.has(reason)) return
    faults.add(reason)
    notify({ type: 'sales_stopped', reason, ...details })
  }

  async function checkShortage(): Promise<void> {
    const shortage = await readShortage(ports, accounts)
    if (shortage !== null) raise('treasury_short', shortage)
    else if (faults.delete('treasury_short')) {
      notify({ type: 'sales_resumed', reason: 'treasury_short' })
    }
  }

  return async function checkFaults() {
    const { number: head } = await chain.head()
    const isBehind = head < highest.number && clock() - highest.at < behindMs
    // A node that fell behind states a balance from before payments that are in the ledger.
    if (!isBehind) {
      await checkShortage()
      highest = { number: head, at: clock() }
    }
    for (const { fault, transfer } of await readUnexpected()) {
      raise(fault, { transaction: transfer.proof.transaction })
    }
  }
}

type FaultDetails =
  | { readonly balance: Usdc; readonly owed: bigint }
  | { readonly transaction: Hex }

/**
 * The debt is read before and after the balance, and the balance must cover neither: a refund that
 * leaves in between, or a payment that arrives, does not look like a shortage.
 */
async function readShortage(
  { store, chain }: PaymentPorts,
  { asset, treasury }: TreasuryAccounts,
): Promise<{ readonly balance: Usdc; readonly owed: bigint } | null> {
  const before = await store.unsentRefunds()
  const balance = await chain.balanceOf(asset, treasury)
  if (balance >= before) return null
  const owed = await store.unsentRefunds()
  return balance < owed ? { balance, owed } : null
}
