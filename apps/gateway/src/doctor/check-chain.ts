import { atomicUsdc, formatUsdc, type Usdc } from '@farebox/money'
import { defaultPaymentPolicy, type PaymentNetwork, paymentNetwork } from '@farebox/payments'
import {
  type ChainReader,
  createChainReader,
  createRefundSigner,
  readChainIdentity,
  SigningError,
  type SigningKey,
  signingAddress,
  type TokenControls,
} from '@farebox/payments/chain'
import { formatEther } from 'viem'
import type { ChainAccess } from '../chain/chain-access.ts'
import { openRunningChain } from '../chain/open-running-chain.ts'
import { chainState } from '../dependencies/check-chain.ts'
import type { Config } from '../settings.ts'
import { checkChannels } from './check-channels.ts'
import { checkCharge } from './check-charge.ts'
import { type Finding, finding } from './finding.ts'
import { checkLedgerOwner, checkOwed } from './ledger/check-ledger-owner.ts'

const timeoutMs = 10_000
const noNode = 'start the node, or set RPC_URL to one that responds'

type Chain = {
  readonly access: ChainAccess
  readonly network: PaymentNetwork
  readonly reader: ChainReader
}

const ledger = { subject: 'database', fix: 'run audit' }
const noKeys = 'set the keys of treasury and relayer, or correct the module of the account'

/** Opens the chain with its keys; checks node, token, clock and accounts. */
export function checkChain(config: Config): Promise<readonly Finding[]> {
  return finding({ subject: 'keys', fix: noKeys }, async () => {
    const access = await openRunningChain(config)
    try {
      return [
        ...(await finding({ subject: 'chain', fix: noNode }, () => checkNode(config, access))),
        ...(await finding(ledger, () => checkLedgerOwner(config, access))),
      ]
    } finally {
      await access.close()
    }
  })
}

async function checkNode(config: Config, access: ChainAccess): Promise<readonly Finding[]> {
  const { rpcUrl } = access
  const network = paymentNetwork(config.NETWORK)
  const reader = createChainReader({ rpcUrl, timeoutMs })
  const chain = { access, network, reader }
  const treasury = signingAddress(access.treasuryKey)
  const identity = await checkIdentity(chain)
  if (identity.verdict === 'wrong') return [identity]
  const checks = {
    clock: () => checkClock(chain),
    treasury: () => checkTreasury(chain),
    owed: () => checkOwed(config, { reader, usdc: network.usdc, treasury }),
    relayer: () => checkRelayer(chain),
    charge: () => checkCharge(config, access),
    channels: () => checkChannels(config, access),
  }
  const findings = [identity]
  for (const [subject, check] of Object.entries(checks)) {
    findings.push(...(await finding({ subject, fix: noNode }, check)))
  }
  return findings
}

async function checkIdentity({ access, network }: Chain): Promise<Finding> {
  const subject = 'chain'
  const identity = await readChainIdentity({ rpcUrl: access.rpcUrl, network, timeoutMs })
  if (identity.status === 'matches') {
    const { name, version } = network.domain
    const message = `chain id ${network.chainId} at block ${identity.block}, with ${name} version ${version}`
    return { verdict: 'ok', subject, message }
  }
  const found = chainState(identity, network)
  const message = found.status === 'ok' ? '' : found.reason
  const fix =
    identity.status === 'unavailable'
      ? noNode
      : 'set RPC_URL to a node of this network, or NETWORK to that of the node'
  return { verdict: 'wrong', subject, message, fix }
}

/** Authorizations are valid by the chain's clock, and quotes expire by ours. */
async function checkClock({ reader, network }: Chain): Promise<readonly Finding[]> {
  // The devnet mines a block only for a transaction.
  if (network.name === 'devnet') return []
  const { timestamp } = await reader.head()
  const seconds = Math.round(Date.now() / 1000 - timestamp)
  const subject = 'clock'
  if (Math.abs(seconds) <= 60) {
    return [{ verdict: 'ok', subject, message: `${seconds} s from the latest block` }]
  }
  if (seconds < 0) {
    const message = `this machine is ${-seconds} s behind the latest block of the node`
    return [{ verdict: 'wrong', subject, message, fix: 'set the clock by NTP' }]
  }
  const message = `this machine is ${seconds} s ahead of the latest block of the node`
  const fix =
    'set the clock by NTP; if the clock is right, the node has stopped following the chain'
  return [{ verdict: 'wrong', subject, message, fix }]
}

async function checkTreasury(chain: Chain): Promise<readonly Finding[]> {
  const { access, network, reader } = chain
  const subject = 'treasury'
  const treasury = signingAddress(access.treasuryKey)
  const [hasCode, wei, balance, controls] = await Promise.all([
    reader.hasCode(treasury),
    reader.nativeBalanceOf(treasury),
    reader.balanceOf(network.usdc, treasury),
    reader.tokenControls(network.usdc, treasury),
  ])
  const findings: Finding[] = [heldFinding(chain, atomicUsdc(balance))]
  findings.push(...(await checkSigning(subject, access.treasuryKey, network)))
  findings.push(...stopped(treasury, controls))
  if (hasCode) {
    findings.push({
      verdict: 'wrong',
      subject,
      message: `${treasury} has code (EIP-7702?): the token rejects its signatures`,
      fix: 'end the delegation, or use another treasury key; until then no refund can be sent',
    })
  }
  if (wei > 0n) {
    const message = `holds ${formatEther(wei)} ETH, which it does not need`
    findings.push({ verdict: 'note', subject, message, fix: 'move it to the relayer' })
  }
  return findings
}

/** A gateway sells with an empty treasury: each payment brings what its refund needs. */
function heldFinding({ access, network }: Chain, balance: Usdc): Finding {
  const subject = 'treasury'
  const held = `${signingAddress(access.treasuryKey)} holds ${formatUsdc(balance)} USDC`
  const { minTreasury } = defaultPaymentPolicy
  if (balance >= minTreasury || network.name === 'devnet')
    return { verdict: 'ok', subject, message: held }
  const message = `${held}, which may soon not cover refunds`
  const fix = `send it at least ${formatUsdc(atomicUsdc(minTreasury - balance))} USDC`
  return { verdict: 'note', subject, message, fix }
}

/** Payers are refused then, and nothing else reports why. */
function stopped(treasury: string, { isPaused, isBlocked }: TokenControls): readonly Finding[] {
  const subject = 'treasury'
  const findings: Finding[] = []
  if (isPaused) {
    const message = 'USDC is paused: no payment and no refund passes'
    findings.push({ verdict: 'wrong', subject, message, fix: 'wait until its issuer resumes it' })
  }
  if (isBlocked) {
    const message = `${treasury} is on the blocklist of USDC: no payment and no refund passes`
    findings.push({ verdict: 'wrong', subject, message, fix: 'ask its issuer, Circle, why' })
  }
  return findings
}

const noNonce = `0x${'0'.repeat(64)}` as const

/** Checks that an account whose key is elsewhere can sign: the cancellation of an unused nonce. */
async function checkSigning(
  subject: string,
  key: SigningKey,
  network: PaymentNetwork,
): Promise<readonly Finding[]> {
  if (typeof key === 'string') return []
  try {
    await createRefundSigner({ key, network }).signCancel(noNonce)
    return [{ verdict: 'ok', subject, message: `${key.address} signs` }]
  } catch (error) {
    if (!(error instanceof SigningError)) throw error
    const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
    const fix = 'check the module of the account, and whether it may sign with the key'
    return [{ verdict: 'wrong', subject, message: `${error.message}${cause}`, fix }]
  }
}

async function checkRelayer({ access, network, reader }: Chain): Promise<readonly Finding[]> {
  const subject = 'relayer'
  if (access.relayerKey === undefined) {
    const message = 'not configured: the facilitator sends settlements and refunds'
    return [{ verdict: 'note', subject, message }]
  }
  const relayer = signingAddress(access.relayerKey)
  const wei = await reader.nativeBalanceOf(relayer)
  const { minRelayerWei } = defaultPaymentPolicy
  const message = `${relayer} holds ${formatEther(wei)} ETH`
  const signing = await checkSigning(subject, access.relayerKey, network)
  if (wei >= minRelayerWei) return [{ verdict: 'ok', subject, message }, ...signing]
  const fix = `send it at least ${formatEther(minRelayerWei)} ETH for gas`
  return [{ verdict: 'wrong', subject, message, fix }, ...signing]
}
