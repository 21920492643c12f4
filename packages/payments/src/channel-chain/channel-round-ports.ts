import type { Hex } from '@farebox/ledger'
import type { PaymentNetwork } from '../chain/network.ts'
import type { ChannelPolicy } from '../policy/channel-policy.ts'
import type { GasBudget } from '../policy/gas-budget.ts'
import type { PaymentPorts } from '../policy/payment-ports.ts'
import type { TransactionQueue } from '../relayer/transaction-queue.ts'
import type { ChannelAuthorizer } from './channel-authorizer.ts'
import type { ChannelChain } from './channel-chain.ts'

/** What the rounds on the chain of payment channels share. */
export type ChannelRoundPorts = PaymentPorts & {
  readonly network: PaymentNetwork
  /** The receiver of every channel. Lower-case hexadecimal. */
  readonly treasury: Hex
  readonly authorizer: ChannelAuthorizer
  readonly channelChain: ChannelChain
  readonly queue: Pick<TransactionQueue, 'send' | 'receiptOf'>
  readonly rules: ChannelPolicy
  readonly closingGas: GasBudget
}
