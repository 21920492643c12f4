import type { Stage } from './sale.ts'

const nothingPaid = 'Nothing was paid.'

/** Why a purchase failed at this stage, as a sentence for the visitor. Before it is signed, nothing is sent. */
export function problemOf(error: unknown, stage: Stage): string {
  if (error instanceof DOMException && error.name === 'AbortError') {
    return 'Stopped. What was generated until then is billed; the rest is refunded.'
  }
  if (stage !== 'signing') return messageOf(error) ?? 'The request failed.'
  const problem = signingProblem(error)
  return problem.endsWith(nothingPaid) ? problem : `${problem} ${nothingPaid}`
}

/** Wallets throw what they like: errors, objects, texts, or null. */
function signingProblem(error: unknown): string {
  const { code, message } = refusalOf(error)
  if (typeof code === 'number') return walletProblem(code, message)
  const text = messageOf(error)
  if (text === undefined) return 'The wallet failed. Open it to see why, then try again.'
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function messageOf(error: unknown): string | undefined {
  const message = isObject(error) && 'message' in error ? error.message : undefined
  return typeof message === 'string' && message !== '' ? message : undefined
}

const unsupported = 'The wallet cannot sign this kind of payment. Try another wallet.'

/** By the codes of EIP-1193, EIP-1474 and EIP-3326. */
const walletProblems: Readonly<Record<number, string>> = {
  4001: 'The wallet declined.',
  4100: 'The wallet does not let this page use the account. Connect it to this page in the wallet.',
  4200: unsupported,
  4900: 'The wallet has no connection to its network.',
  4901: 'The wallet has no connection to the chain of the payment.',
  4902: 'The wallet does not have the chain of the payment.',
  [-32_601]: unsupported,
  [-32_002]: 'The wallet still has a request open. Open the wallet and finish it, then try again.',
}

/** Messages of other codes are not shown: they may describe internals of the wallet. */
function walletProblem(code: number, message: unknown): string {
  const known = walletProblems[code]
  if (known !== undefined) return known
  if (/insufficient (funds|balance)/i.test(String(message))) {
    return 'The wallet does not hold enough USDC. It needs no ETH.'
  }
  if (/chain ?id/i.test(String(message))) {
    return 'The wallet is on another chain. Switch it to the chain of the payment, then try again.'
  }
  return `The wallet failed (${code}). Open it to see why, then try again.`
}

/**
 * What a visitor does about a payment that the service rejected, by the code of the 402; undefined if
 * the service's own message says it. Of these, that message tells programs what to sign.
 */
export function rejectionOf(code: string | undefined, payer: string): string | undefined {
  switch (code) {
    case 'invalid_exact_evm_signature':
      return `The wallet did not sign as ${payer}. Select this account in the wallet, then try again; a smart wallet must be deployed first. Nothing was paid.`
    case 'invalid_exact_evm_payload_authorization_valid_before':
    case 'invalid_exact_evm_payload_authorization_valid_after':
      return 'The signature was not valid when it arrived: it lasts a few minutes. Nothing was paid. Get the price again; if this repeats, set the clock of this device.'
    default:
      return undefined
  }
}

/** Why an answer that ended is not complete, as a sentence for the visitor; undefined if it is. */
export function shortfallOf(finishReason: string | undefined, answer: string): string | undefined {
  switch (finishReason) {
    case 'length':
      return answer === ''
        ? 'The model reached the maximum length before it wrote an answer. Raise “Longest answer” and ask again.'
        : 'The answer is cut off here: it reached the maximum length. Raise “Longest answer” and ask again.'
    case 'content_filter':
      return 'The provider’s filter ended the answer here.'
    default:
      return answer === ''
        ? 'The model wrote no answer. Ask again, or choose another model.'
        : undefined
  }
}

type Refusal = { readonly code?: unknown; readonly message?: unknown }

/** Wallets refuse with plain objects, which the client keeps as the cause of its error. */
function refusalOf(error: unknown): Refusal {
  if (!isObject(error)) return {}
  return 'cause' in error && isObject(error.cause) && 'code' in error.cause ? error.cause : error
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
