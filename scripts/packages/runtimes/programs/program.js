// Runs in every runtime, and prints what it computed with the installed packages. A gateway in memory sells.
import { shippedCatalog } from '@farebox/catalogs'
import { createFareboxClient } from '@farebox/client'
import { formatUsdc, parseUsdc } from '@farebox/money'
import { quoteChat } from '@farebox/pricing'
import { counterForModel } from '@farebox/tokenizer'
import { privateKeyToAccount } from 'viem/accounts'

const asset = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const required = {
  x402Version: 2,
  resource: { url: 'https://gateway.test/v1/chat/completions', description: '', mimeType: '' },
  accepts: [
    {
      scheme: 'exact',
      network: 'eip155:84532',
      amount: '3526',
      asset,
      payTo: `0x${'1'.repeat(40)}`,
      maxTimeoutSeconds: 60,
      extra: { name: 'USDC', version: '2' },
    },
  ],
}
const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'openai/gpt-4.1-mini',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'paid', refusal: null },
      finish_reason: 'stop',
    },
  ],
}

/** Asks for a payment, and answers the request that is signed. */
async function gateway(input, init) {
  const signature = new Request(input, init).headers.get('payment-signature')
  if (signature === null) {
    const headers = { 'payment-required': btoa(JSON.stringify(required)) }
    return Response.json({ message: 'Pay.' }, { status: 402, headers })
  }
  const { payload } = JSON.parse(atob(signature))
  const isSigned = /^0x[0-9a-f]{130}$/i.test(payload.signature)
  return isSigned ? Response.json(completion) : Response.json({}, { status: 400 })
}

/** Pays a gateway on a devnet, and waits for its refund. */
async function pay({ url, key }) {
  const farebox = createFareboxClient({
    baseUrl: url,
    account: privateKeyToAccount(key),
    networks: ['base-sepolia'],
  })
  const messages = [{ role: 'user', content: 'What is a fare box?' }]
  const answer = await farebox.chat({ model: 'openai/gpt-4.1-mini', messages })
  const { status, refund } = await farebox.waitForRefund(answer.receipt.paymentId)
  return `${status} ${refund.status}`
}

export async function run(gatewayOnDevnet) {
  const farebox = createFareboxClient({
    baseUrl: 'https://gateway.test',
    account: privateKeyToAccount(`0x${'5'.repeat(64)}`),
    fetch: gateway,
  })
  const answer = await farebox.chat({ messages: [{ role: 'user', content: 'Hello' }] })
  const model = 'openai/gpt-4.1-mini'
  const day = new Date('2026-11-22')
  const quote = quoteChat({
    model,
    price: shippedCatalog(day).recentPrices(model, day.getTime())[0],
    terms: { bufferBps: 1_000, markupBps: 0, minimumCharge: parseUsdc('0.001') },
    inputTokens: 13,
    maxOutputTokens: 2_000,
    choices: 1,
  })
  return [
    answer.completion.choices[0].message.content,
    formatUsdc(farebox.spent()),
    formatUsdc(quote.maximum),
    counterForModel(model),
    await pay(gatewayOnDevnet),
  ].join(' ')
}
