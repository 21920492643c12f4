import type { LedgerStore } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import { parseHexOf } from '../chain/hex.ts'
import { type NetworkName, networkNames } from '../chain/network.ts'
import type { SigningKey } from '../signature/signing-key.ts'
import type { PaywallOptions } from './paywall-options.ts'
import { type FacilitatorChoice, PaywallError } from './settlement-backend.ts'

/** The options of a paywall. */
const names: Readonly<Record<keyof PaywallOptions, true>> = {
  network: true,
  rpcUrl: true,
  store: true,
  treasuryKey: true,
  relayerKey: true,
  facilitator: true,
  publicUrl: true,
  refundMinimum: true,
  dollarsPerEther: true,
  payerLimits: true,
  policy: true,
  monitoring: true,
  channels: true,
  clock: true,
  onEvent: true,
}

/** The options of a part of it. */
const partNames: Readonly<Record<'channels' | 'monitoring', readonly string[]>> = {
  channels: ['receiverAuthorizer', 'policy', 'obstacle', 'channelChain'],
  monitoring: ['ownAccounts'],
}

const functions = ['payerLimits', 'clock', 'onEvent'] as const

type Checked = Partial<Pick<PaywallOptions, (typeof functions)[number]>> & {
  readonly network?: NetworkName
  readonly rpcUrl?: string
  readonly publicUrl?: string | undefined
  readonly store?: LedgerStore
  readonly facilitator?: FacilitatorChoice | undefined
  readonly treasuryKey?: SigningKey
  readonly relayerKey?: SigningKey | undefined
  readonly refundMinimum?: Usdc | undefined
  readonly dollarsPerEther?: bigint | undefined
  readonly channels?: object | undefined
  readonly monitoring?: object | undefined
}

/**
 * Checks what would otherwise fail at the first payment. Messages repeat no value: URLs and keys are
 * secrets.
 *
 * @throws {PaywallError} `invalid_option`, with the name of the option.
 */
export function checkPaywallOptions(options: Checked): void {
  const problem = problemOfNames(options) ?? problemOf(options)
  if (problem !== undefined) throw new PaywallError('invalid_option', problem)
}

/** A misspelled option would have no effect, such as a `treasuryKey` without which no refund is sent. */
function problemOfNames(options: Checked): string | undefined {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name))
  if (unknown !== undefined) return `a paywall has no option ${JSON.stringify(unknown)}`
  for (const part of ['channels', 'monitoring'] as const) {
    const wrong = Object.keys(options[part] ?? {}).find((name) => !partNames[part].includes(name))
    if (wrong !== undefined) return `${part} has no option ${JSON.stringify(wrong)}`
  }
  const invalid = functions.find((name) => !isFunctionOrAbsent(options[name]))
  return invalid === undefined ? undefined : `${invalid} must be a function`
}

function isFunctionOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'function'
}

function problemOf(options: Checked): string | undefined {
  const { network, rpcUrl, publicUrl, store, facilitator } = options
  const { treasuryKey, relayerKey, refundMinimum, dollarsPerEther = 1n } = options
  if (!isNetwork(network)) return `network must be one of ${networkNames.join(', ')}`
  if (!isHttp(rpcUrl)) return 'rpcUrl must be an http or https URL'
  if (publicUrl !== undefined && !isHttp(publicUrl)) {
    return 'publicUrl must be an http or https URL'
  }
  if (typeof store?.claim !== 'function') {
    return 'store must be an open ledger: `await openLedger({ url })`, or `createMemoryStore()`'
  }
  if (facilitator !== undefined && !isFacilitator(facilitator)) {
    return 'facilitator must have an http or https url, or an apiKeyId and an apiKeySecret'
  }
  if ('treasuryKey' in options && !isKey(treasuryKey)) return keyProblem('treasuryKey')
  if (relayerKey !== undefined && !isKey(relayerKey)) return keyProblem('relayerKey')
  if (refundMinimum !== undefined && !isAtLeast(0n, refundMinimum)) {
    return 'refundMinimum must be USDC in atomic units, as a bigint'
  }
  return isAtLeast(1n, dollarsPerEther)
    ? undefined
    : 'dollarsPerEther must be whole dollars above zero, as a bigint'
}

function keyProblem(name: string): string {
  return `${name} must be a private key, 0x and 64 hexadecimal digits, or an account with address and sign`
}

function isNetwork(name: NetworkName | undefined): boolean {
  return networkNames.some((known) => known === name)
}

function isHttp(url: string | undefined): boolean {
  return /^https?:$/.test(URL.parse(url ?? '')?.protocol ?? '')
}

function isFacilitator(facilitator: FacilitatorChoice): boolean {
  if (typeof facilitator !== 'object') return false
  return 'apiKeyId' in facilitator || isHttp(facilitator.url)
}

/** Whether its text is a key is checked where it is read. */
function isKey(key: SigningKey | undefined): boolean {
  if (typeof key === 'string') return parseHexOf(32, key) !== undefined
  return typeof key === 'object' && typeof key.sign === 'function'
}

function isAtLeast(min: bigint, amount: bigint): boolean {
  return typeof amount === 'bigint' && amount >= min
}
