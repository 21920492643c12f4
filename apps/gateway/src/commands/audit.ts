import { countOf } from '@farebox/api'
import { createResourceStack } from '@farebox/http'
import type { LedgerStore } from '@farebox/ledger'
import { formatUsdc } from '@farebox/money'
import {
  type AuditFinding,
  type AuditReport,
  audit,
  type PaymentNetwork,
  paymentNetwork,
} from '@farebox/payments'
import {
  createChainReader,
  createChannelChain,
  readChainIdentity,
  signingAddress,
} from '@farebox/payments/chain'
import type { ChainAccess } from '../chain/chain-access.ts'
import { openRunningChain } from '../chain/open-running-chain.ts'
import { readBeginning } from '../chain/read-beginning.ts'
import { refuseOtherTreasury } from '../chain/refuse-other-treasury.ts'
import { WrongChainError } from '../compose/monitor-dependencies.ts'
import { openExistingStore } from '../compose/open-store.ts'
import { sellsByChannel } from '../compose/sells-by-channel.ts'
import { chainState } from '../dependencies/check-chain.ts'
import type { Config } from '../settings.ts'

/** Compares the chain with the ledger. Returns 0 only if every difference is explained. */
export async function auditCommand(config: Config): Promise<number> {
  const stack = createResourceStack()
  try {
    // The ledger first: in a folder without one, a new devnet would start and leave its files.
    const store = stack.adopt(await openExistingStore(config), (ledger) => ledger.close())
    const access = stack.adopt(await openRunningChain(config), (chain) => chain.close())
    const network = paymentNetwork(config.NETWORK)
    await refuseOtherChain(access.rpcUrl, network)
    const treasury = signingAddress(access.treasuryKey)
    const { payees, firstBlock } = await readBeginning(store)
    refuseOtherTreasury(payees, treasury)
    const report = await audit({
      store,
      chain: createChainReader({ rpcUrl: access.rpcUrl }),
      channels: (await hasChannels(store, config, access))
        ? { store, channelChain: createChannelChain({ rpcUrl: access.rpcUrl, network }) }
        : undefined,
      asset: network.usdc,
      treasury,
      ownAccounts: config.OWN_ACCOUNTS,
      maxRefundDelayMs: config.REFUND_MAX_DELAY_SECONDS * 1000,
      fromBlock: config.NETWORK === 'devnet' ? 0 : firstBlock,
    })
    process.stdout.write(reportText(report))
    return report.unexplained.length === 0 ? 0 : 1
  } finally {
    // A running devnet would keep this process alive.
    await stack.disposeAsync()
  }
}

/**
 * Channels in the ledger are audited whatever is sold now. Whether they are sold is not known while a
 * node is slow.
 */
async function hasChannels(
  store: LedgerStore,
  config: Config,
  access: ChainAccess,
): Promise<boolean> {
  for await (const _ of store.exportChannels(() => undefined)) return true
  return await sellsByChannel(config, access)
}

/** On another chain every payment would be missing. */
async function refuseOtherChain(rpcUrl: string, network: PaymentNetwork): Promise<void> {
  const identity = await readChainIdentity({ rpcUrl, network, timeoutMs: 10_000 })
  const found = chainState(identity, network)
  if (found.status === 'wrong') throw new WrongChainError(found.reason)
}

function reportText(report: AuditReport): string {
  const { transfers, payments, refunds, channels, fromBlock, toBlock, received, refunded } = report
  return [
    `blocks ${fromBlock} to ${toBlock}: ${countOf(transfers, 'transfer')}, ${countOf(payments, 'payment')}, ${countOf(refunds, 'refund')}${channels === 0 ? '' : `, ${countOf(channels, 'channel')}`}`,
    `received ${formatUsdc(received)} USDC, refunded ${formatUsdc(refunded)} USDC`,
    ...report.explained.map((finding) => `explained   ${findingText(finding)}`),
    ...report.unexplained.map((finding) => `UNEXPLAINED ${findingText(finding)}`),
    `unexplained: ${countOf(report.unexplainedUnits, 'atomic unit')} in ${countOf(report.unexplained.length, 'finding')}`,
    '',
  ].join('\n')
}

function findingText({
  kind,
  amount,
  paymentId,
  nonce,
  transaction,
  detail,
}: AuditFinding): string {
  const where = [
    paymentId,
    nonce && `nonce ${nonce}`,
    transaction && `transaction ${transaction}`,
    detail,
  ]
  return [kind, `${amount} units`, ...where.filter(Boolean)].join('  ')
}
