import { errorCodes } from '../errors.ts'
import { errorStatuses } from './error-statuses.ts'
import { maxReplaySecretLength } from './max-replay-secret-length.ts'

/** The introduction of the document, as Markdown. */
export function guide(endpoints: 'all' | 'free'): string {
  return endpoints === 'all' ? `${summary}\n\n${paying}\n\n${headers}\n\n${errors()}` : free
}

const summary =
  'AI calls sold one at a time: send a request, get the maximum price in a 402, pay it in USDC with x402, receive the response, and get the overpayment refunded on chain. There is no account and no API key.'

const free =
  'The free part of Farebox: what a chat or image request costs at most, the models with their prices, and health.'

/** How to pay, as Markdown: agents also read it as `x-guidance`. */
export const paying = `## How to pay

1. **Ask.** Send the request without a payment. The response is a **402** with the maximum price: for x402 version 2 in the \`PAYMENT-REQUIRED\` header (base64 JSON), for version 1 in \`accepts\` of the body. \`quote\` in the body says the maximum, the likely cost and the minimum charge. Nothing is reserved and no money moves.
2. **Sign.** Choose an entry of \`accepts\` with the scheme \`exact\` and sign an EIP-3009 \`TransferWithAuthorization\` over its amount with the wallet. Signing needs no gas. Any x402 client does this.
3. **Repeat.** Send the identical request again with the signature in \`PAYMENT-SIGNATURE\` (version 2) or \`X-PAYMENT\` (version 1). The payment is settled on chain, then the request is served. The answer carries \`X-Payment-Id\` and the receipt.
4. **Receive the rest.** The actual usage is billed, and the rest is refunded to the paying wallet automatically. \`GET /v1/payments/{id}\` shows the settlement, the cost and the refund.

**400 and 429** mean that the request moved no money. **402** means that this authorization was not and will not be used, unless the response has the receipt of a deposit into a payment channel. **503 with \`X-Payment-Id\` and \`Retry-After\`** means that repeating the identical request resumes the payment. **503 with \`X-Payment-Id\` alone** means that the provider failed or the service stopped: the payment is refunded in full, and repeating the request returns the same answer.`

const headers = `## Headers

| header | sent by | meaning |
|---|---|---|
| \`PAYMENT-REQUIRED\` | the 402 | the price, base64 JSON (x402 version 2) |
| \`PAYMENT-SIGNATURE\` | the client | the payment, base64 JSON (x402 version 2) |
| \`X-PAYMENT\` | the client | the payment, base64 JSON (x402 version 1) |
| \`X-Replay-Secret\` | the client, optional | any text of at most ${maxReplaySecretLength} characters; a stored answer is repeated only to a request with the same text |
| \`X-Payment-Id\` | every paid response | the id for \`/v1/payments/{id}\` |
| \`PAYMENT-RESPONSE\`, \`X-PAYMENT-RESPONSE\` | every paid response | the receipt of the settlement, in the version of the payment |
| \`X-Free-Quota\` | the client, optional | \`off\` asks for the price although a free quota would cover the request |
| \`X-Free-Quota-Remaining\` | where the operator gives each address a free quota | USDC that the address may still use today without payment; while a stream runs, the most that it can cost counts as used |
| \`RateLimit\`, \`RateLimit-Policy\` | every response | what is left of the requests per minute |
| \`Retry-After\` | 429, and 503 unless the provider failed or the service stopped | when to repeat the request, in seconds |`

function errors(): string {
  const rows = Object.entries(errorCodes).map(
    ([code, meaning]) =>
      `| ${errorStatuses[code as keyof typeof errorCodes]} | \`${code}\` | ${meaning} |`,
  )
  return `## Errors

Chat errors have the shape \`{ "error": { "message", "type", "code", "param" } }\`. The image endpoints answer \`{ "error": "INVALID_DIMENSIONS" | "INVALID_MODEL" | "INVALID_REQUEST" | "ESTIMATE_ERROR" | "GENERATION_ERROR", "message", "details" }\`, with a code of this table in \`details.code\` where one applies, and \`/v1/messages\` in the shape of Anthropic, \`{ "type": "error", "error": { "type", "message", "details": { "error_code" } } }\`. Status 200 marks an error event in a stream that has begun.

| status | code | meaning |
|---|---|---|
${rows.join('\n')}
| 429 | \`RATE_LIMITED\` | Too many requests in 60 seconds. This request moved no money. |`
}
