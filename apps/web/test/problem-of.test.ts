import { signPaymentRequired } from '@farebox/client'
import { atomicUsdc } from '@farebox/money'
import { expect, test } from 'vitest'
import { connectWallet } from '../src/pay/browser-wallet.ts'
import { problemOf, rejectionOf, shortfallOf } from '../src/sale/problem-of.ts'
import { rejectionCode } from '../src/service/rejection-code.ts'

const required = Buffer.from(
  JSON.stringify({
    x402Version: 2,
    resource: { url: 'https://shop.example/a', description: '', mimeType: '' },
    accepts: [
      {
        scheme: 'exact',
        network: 'eip155:84532',
        amount: '1000',
        asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
        payTo: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
        maxTimeoutSeconds: 300,
        extra: { name: 'USDC', version: '2' },
      },
    ],
  }),
).toString('base64')

function problemWithWallet(error: unknown): string {
  return problemOf(error, 'signing')
}

/** What a visitor reads when the wallet refuses to sign. */
async function problemWhenSigning(refusal: unknown): Promise<string> {
  const address = '0x00000000000000000000000000000000000000aa'
  const account = {
    address,
    signTypedData: () => {
      throw refusal
    },
  } as const
  return await signPaymentRequired(required, { account, maxAmount: atomicUsdc(1_000n) }).then(
    () => 'signed',
    problemWithWallet,
  )
}

test.each([
  [4001, 'The wallet declined. Nothing was paid.'],
  [4902, 'The wallet does not have the chain of the payment. Nothing was paid.'],
  [
    -32_002,
    'The wallet still has a request open. Open the wallet and finish it, then try again. Nothing was paid.',
  ],
  [4900, 'The wallet has no connection to its network. Nothing was paid.'],
  [-32_603, 'The wallet failed (-32603). Open it to see why, then try again. Nothing was paid.'],
])('a wallet that refuses to sign with %s is described: "%s"', async (code, told) => {
  expect(await problemWhenSigning({ code, message: 'Internal JSON-RPC error.' })).toBe(told)
})

test('a wallet without money is described by what the payment needs', () => {
  const message = 'insufficient funds for gas * price + value'
  expect(problemWithWallet({ code: -32_000, message })).toBe(
    'The wallet does not hold enough USDC. It needs no ETH. Nothing was paid.',
  )
})

test('a wallet that is on another chain is described by what to do', () => {
  const message = 'Provided chainId "84532" must match the active chainId "1"'
  expect(problemWithWallet({ code: -32_603, message })).toBe(
    'The wallet is on another chain. Switch it to the chain of the payment, then try again. Nothing was paid.',
  )
})

test('a wallet that is locked, and names no account, is described by what to do', async () => {
  const locked = { request: () => Promise.resolve([]) }
  expect(await connectWallet(locked).then(() => 'connected', problemWithWallet)).toBe(
    'The wallet named no account. Unlock it and connect it to this page. Nothing was paid.',
  )
})

test('a wallet that refuses to connect is described the same way', () => {
  expect(problemWithWallet({ code: 4001, message: 'User rejected.' })).toBe(
    'The wallet declined. Nothing was paid.',
  )
})

test.each([
  ['declined', 'The wallet failed. Open it to see why, then try again. Nothing was paid.'],
  [null, 'The wallet failed. Open it to see why, then try again. Nothing was paid.'],
  [
    { reason: 'declined' },
    'The wallet failed. Open it to see why, then try again. Nothing was paid.',
  ],
  [new Error('Popup closed'), 'Popup closed. Nothing was paid.'],
])('a wallet that throws %o when it connects is described: "%s"', async (thrown: unknown, told) => {
  const wallet = {
    request: () => {
      throw thrown
    },
  }
  expect(await connectWallet(wallet).then(() => 'connected', problemWithWallet)).toBe(told)
})

test.each([
  ['declined', 'The payment could not be signed. Nothing was paid.'],
  [null, 'The payment could not be signed. Nothing was paid.'],
  [{ reason: 'declined' }, 'The payment could not be signed. Nothing was paid.'],
  [new Error('Popup closed'), 'The payment could not be signed: Popup closed. Nothing was paid.'],
])(
  'a wallet that throws %o instead of a signature is described: "%s"',
  async (thrown: unknown, told) => {
    expect(await problemWhenSigning(thrown)).toBe(told)
  },
)

test('a purchase that was stopped, and what is not an error, have sentences of their own', () => {
  expect(problemOf(new DOMException('', 'AbortError'), 'answering')).toMatch(/^Stopped\./)
  expect(problemOf('odd', 'answering')).toBe('The request failed.')
  expect(problemOf({}, 'answering')).toBe('The request failed.')
})

test('what fails once the payment is signed may have been paid', () => {
  const broken = new DOMException('The connection broke.', 'NetworkError')
  expect(problemOf(broken, 'answering')).toBe('The connection broke.')
})

test('a payment that another account signed is described by what to do in the wallet', () => {
  const code = 'invalid_exact_evm_signature'
  expect(rejectionOf(code, '0xaa')).toBe(
    'The wallet did not sign as 0xaa. Select this account in the wallet, then try again; a smart wallet must be deployed first. Nothing was paid.',
  )
  expect(rejectionOf(`${code}: The code of 0xaa does not accept it.`, '0xaa')).toBeUndefined()
  expect(rejectionOf(undefined, '0xaa')).toBeUndefined()
})

test.each(['before', 'after'])(
  'a signature that is not valid %s is described by what to do',
  (end) => {
    const code = `invalid_exact_evm_payload_authorization_valid_${end}`
    expect(rejectionOf(code, '0xaa')).toMatch(/Nothing was paid\. Get the price again/)
  },
)

test('the code of a rejection is that of the 402', () => {
  const codeOf = (challenge: object) =>
    rejectionCode(new Headers({ 'payment-required': btoa(JSON.stringify(challenge)) }))
  expect(codeOf({ x402Version: 2, error: 'no_funds' })).toBe('no_funds')
  expect(codeOf({ x402Version: 2 })).toBeUndefined()
  expect(rejectionCode(new Headers())).toBeUndefined()
})

test.each([
  ['stop', 'A fare box.', undefined],
  ['tool_calls', 'A fare box.', undefined],
  ['length', 'A fare', 'The answer is cut off here'],
  ['length', '', 'The model reached the maximum length before it wrote an answer.'],
  ['content_filter', 'A', 'filter ended the answer'],
  ['stop', '', 'The model wrote no answer.'],
  [undefined, '', 'The model wrote no answer.'],
])('an answer that ended by "%s" after "%s" lacks: %s', (finishReason, answer, told) => {
  const shortfall = shortfallOf(finishReason, answer)
  if (told === undefined) expect(shortfall).toBeUndefined()
  else expect(shortfall).toContain(told)
})
