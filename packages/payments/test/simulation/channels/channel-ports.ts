import { createHash } from 'node:crypto'
import { batchSettlementAbi } from '@farebox/devnet'
import type { Hex } from '@farebox/ledger'
import { type ChannelPolicy, channelPolicy } from '@farebox/payments'
import { ChainError, type ChannelChain, type TransactionQueue } from '@farebox/payments/chain'
import { decodeFunctionData, parseAbi, type TransactionReceipt } from 'viem'
import type { ChannelAuthorizer } from '../../../src/channel-chain/channel-authorizer.ts'
import type { ChannelLog } from '../../../src/channel-chain/channel-log.ts'
import { network, usdc } from '../../support/pay.ts'
import { rawChannelLog } from '../../support/raw-channel-log.ts'
import type { ChannelCall, SimBlock, Transaction } from '../chain.ts'
import { call, type Liveness, type SimContext } from '../sim-context.ts'
import { type ChannelStep, claimTerms, refundTerms, type SimChannel } from './channel-contract.ts'

/** Times and amounts small enough for claims, payments and closings within one run. */
export const channelRules: ChannelPolicy = channelPolicy({
  withdrawDelaySeconds: 900,
  maxUnclaimed: usdc(15_000n),
  maxUnclaimedTotal: usdc(40_000n),
  minDeposit: usdc(5_000n),
  newPayers: 4n,
  watchMs: 4_000,
  claimAbove: usdc(6_000n),
  claimAfterMs: 20_000,
  minClaim: usdc(500n),
  settleAbove: usdc(20_000n),
  settleAfterMs: 30_000,
  idleMs: 25_000,
  idleRestOfGas: 2n,
  refundAtOnceAbove: usdc(2_000n),
  refundAtOnceAfterMs: 20_000,
  closingGasPerHour: 2_000_000n,
})

/** Signs with a digest of the terms: the simulated contract computes the same. */
export function simulatedAuthorizer(address: Hex): ChannelAuthorizer {
  return {
    address,
    signClaims: async (entries) => {
      const rows = entries.map(({ channelId, maxClaimableAmount: max, totalClaimed: total }) => {
        return { channelId, max, total }
      })
      return signatureOf(address, claimTerms(rows))
    },
    signRefund: async (terms) => signatureOf(address, refundTerms(terms)),
  }
}

export function signatureOf(authorizer: Hex, terms: string): Hex {
  const digest = createHash('sha512').update(`${authorizer} ${terms}`).digest('hex')
  return `0x${digest}1b`
}

/** A node that is sometimes silent or behind. */
export function simulatedChannelChain(context: SimContext, process: Liveness): ChannelChain {
  const { chain, world } = context
  const ask = <Result>(read: () => Result): Promise<Result> => {
    const isSilent = world.random.chance(context.faults().node)
    return call(context, process, () => {
      if (isSilent) throw new ChainError('the channel contract')
      return read()
    })
  }
  const view = (block: number | undefined): SimBlock => {
    const behind = world.random.chance(context.faults().lag) ? world.random.whole(1, 2) : 0
    const number = Math.min(block ?? Number.POSITIVE_INFINITY, chain.head().number - behind)
    return chain.block(Math.max(0, number)) ?? chain.head()
  }
  return {
    logs: ({ fromBlock, toBlock }) =>
      ask(() => {
        const last = Math.min(view(undefined).number, toBlock)
        const logs: ChannelLog[] = []
        for (let number = fromBlock; number <= last; number += 1) {
          for (const { events } of chain.block(number)?.logs ?? []) logs.push(...events)
        }
        return logs
      }),
    channels: (ids, block) =>
      ask(() => {
        const { channels } = view(block).contract
        return ids.map((id) => stateOf(channels.get(id)))
      }),
    receiver: (_receiver, block) =>
      ask(() => {
        const { claimed, settled } = view(block).contract
        return { totalClaimed: claimed, totalSettled: settled }
      }),
    accepts: (transaction) =>
      ask(() => callsIn(context, transaction).every((one) => passes(context, one))),
    tryCall: (id, transaction) =>
      ask(() => ({
        before: stateOf(chain.head().contract.channels.get(id)),
        isAccepted: callsIn(context, transaction).every((one) => passes(context, one)),
      })),
  }
}

function stateOf(channel: SimChannel | undefined) {
  const { balance = 0n, totalClaimed = 0n, refundNonce = 0n, withdrawal = null } = channel ?? {}
  return { balance, totalClaimed, refundNonce, withdrawalSince: withdrawal?.since ?? null }
}

function passes({ chain, world }: SimContext, one: ChannelCall): boolean {
  return chain.fault(one, Math.floor(world.now() / 1000)) === null
}

/** A relayer that estimates what it sends, fails to, or sends it and loses the response. */
export function simulatedQueue(
  context: SimContext,
  process: Liveness,
): Pick<TransactionQueue, 'send' | 'receiptOf'> {
  const { chain, world } = context
  const { random } = world
  const sent = new Map<string, Transaction>()
  return {
    async send(transaction) {
      const fails = random.chance(context.faults().sender)
      const isSent = !fails || random.chance(0.5)
      return await call(context, process, () => {
        const calls = callsIn(context, transaction)
        const waiting = sent.get(transaction.data)
        if (waiting !== undefined && minedIn(context, waiting) === undefined) {
          // Its bytes are sent again, until they are in a block.
          chain.rebroadcast(waiting)
          return { status: 'sent', transaction: waiting.hash } as const
        }
        if (!isSent) return { status: 'unavailable', reason: 'rpc_down' } as const
        if (transaction.gas === undefined && !calls.every((one) => passes(context, one))) {
          context.count('channel: call would revert')
          return { status: 'reverts', message: 'execution reverted' } as const
        }
        const broadcast = chain.broadcast(calls)
        sent.set(transaction.data, broadcast)
        context.count(`channel: sent ${calls.map(nameOf)[0]}`)
        if (calls.length > 1) context.count('channel: closings sent together')
        return fails
          ? ({ status: 'unknown', transaction: broadcast.hash, reason: 'timeout' } as const)
          : ({ status: 'sent', transaction: broadcast.hash } as const)
      })
    },
    async receiptOf(transaction, timeoutMs) {
      const until = world.now() + timeoutMs
      while (world.now() < until) {
        await world.pause(1_000)
        if (!process.alive) return await new Promise<never>(() => undefined)
        const known = [...sent.values()].find(({ hash }) => hash === transaction)
        const block = known && minedIn(context, known)
        if (block !== undefined) return receiptIn(block, transaction)
      }
      return undefined
    },
  }
}

function nameOf({ steps }: ChannelCall): string {
  const claims = steps.flatMap((step) => (step.type === 'claim' ? step.rows : []))
  const names = steps.map(({ type }) => type).join(' and ')
  return claims.length > 1 ? `${names} of several` : names
}

function minedIn({ chain }: SimContext, { hash }: Transaction): SimBlock | undefined {
  for (let number = chain.head().number; number > 0; number -= 1) {
    const block = chain.block(number)
    if (block?.transactions.some((one) => one.hash === hash) === true) return block
  }
  return undefined
}

function receiptIn(block: SimBlock, transactionHash: Hex): TransactionReceipt {
  const own = block.logs.filter(({ proof }) => proof.transaction === transactionHash)
  const logs = own.flatMap(({ events }) => events).map(rawChannelLog)
  const status = own.length === 0 ? 'reverted' : 'success'
  return { status, transactionHash, logs } as unknown as TransactionReceipt
}

const multicallAbi = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'function aggregate3(Call3[] calls) payable',
])

/** The calls of a transaction of the rounds: several only through Multicall3. */
function callsIn(
  context: SimContext,
  { to, data }: { readonly to: Hex; readonly data: Hex },
): readonly ChannelCall[] {
  if (to !== network.multicall3) return [{ kind: 'channel', steps: stepsIn(context, data) }]
  const { args } = decodeFunctionData({ abi: multicallAbi, data })
  return args[0].map(({ callData }) => ({ kind: 'channel', steps: stepsIn(context, callData) }))
}

function stepsIn(context: SimContext, data: Hex): readonly ChannelStep[] {
  const decoded = decodeFunctionData({ abi: batchSettlementAbi, data })
  switch (decoded.functionName) {
    case 'multicall':
      return decoded.args[0].flatMap((inner) => stepsIn(context, inner))
    case 'settle':
      return [{ type: 'settle' }]
    case 'claimWithSignature': {
      const [claims, signature] = decoded.args
      const rows = claims.map(({ voucher, signature: signed, totalClaimed: total }) => ({
        channelId: idOf(context, voucher.channel),
        max: voucher.maxClaimableAmount,
        signature: signed,
        total,
      }))
      return [{ type: 'claim', rows, signature }]
    }
    case 'refundWithSignature': {
      const [config, amount, nonce, signature] = decoded.args
      return [{ type: 'refund', channelId: idOf(context, config), amount, nonce, signature }]
    }
    default:
      throw new Error(`the rounds do not call ${decoded.functionName}`)
  }
}

/** Each payer has one channel. */
function idOf({ chain }: SimContext, { payer }: { readonly payer: Hex }): Hex {
  const channels = [...chain.head().contract.channels.values()]
  const found = channels.find(({ config }) => config.payer === payer.toLowerCase())
  if (found === undefined) throw new Error(`no channel of ${payer}`)
  return found.channelId
}
