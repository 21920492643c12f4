// The stock `openai` client over the stock `@x402/fetch`, paid from a payment channel: the first call
// deposits, and each further one is a signature.
import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/client'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import OpenAI from 'openai'
import { createPublicClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { readDevnetKeys } from './devnet-keys.ts'

const { payers, rpcUrl } = readDevnetKeys(process.argv[2])
const payer = privateKeyToAccount(payers[0].privateKey)
// With the account alone a restarted client could not find its channel again.
const chain = createPublicClient({ chain: baseSepolia, transport: http(rpcUrl) })
const channels = new BatchSettlementEvmScheme(toClientEvmSigner(payer, chain))
const wallet = new x402Client().register('eip155:84532', channels)

const url = process.env['FAREBOX_URL'] ?? 'http://127.0.0.1:4020'
const openai = new OpenAI({
  baseURL: `${url}/v1`,
  apiKey: 'none',
  maxRetries: 0, // a retry would be a second call, with a second payment
  fetch: wrapFetchWithPayment(fetch, wallet),
})

for (const content of ['What is a fare box?', 'Who invented it?', 'Is it still in use?']) {
  const { data, response } = await openai.chat.completions
    .create({
      model: 'openai/gpt-4.1-mini',
      messages: [{ role: 'user', content }],
      max_completion_tokens: 50,
    })
    .withResponse()
  const receipt = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '')
  const { cost, channelState } = receipt.extra as {
    readonly cost: string
    readonly channelState: { readonly channelId: string }
  }
  const how = receipt.transaction === '' ? 'a signature' : `a deposit of ${receipt.amount}`
  console.log(data.choices[0]?.message.content)
  console.log(
    `cost ${cost} millionths of a USDC, paid by ${how}, channel ${channelState.channelId}`,
  )
}

// Returns the rest, and costs the payer no gas: at once if the calls have cost 0.02 USDC, otherwise once
// the channel is an hour old.
const returned = await channels
  .refund(`${url}/v1/channel`)
  .then(({ transaction }) => `The rest was returned in ${transaction}.`)
  .catch((error: unknown) => {
    const from = /refund_too_early: ask again after (\S+)/.exec(String(error))?.[1]
    if (from === undefined) throw error
    return `The rest is returned from ${from} on, if you ask for it again.`
  })
console.log(returned)
