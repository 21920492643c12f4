// Faster tests of the same: leavers, disconnects, counted-strings, gate-outcomes and treasury-monitor.
import { usdcAddress } from '@farebox/devnet'
import { concat, decodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  answerWith,
  beginStream,
  chunk,
  openUpstream,
  type UpstreamServer,
} from '../contract/upstream-server.ts'
import { chatOf } from '../support/buy.ts'
import { chatPath, post } from '../support/sign-payment.ts'
import {
  type Attacked,
  attacked,
  attackedOn,
  figure,
  finalRecord,
  purchase,
  signedFor,
  unpaidStatus,
} from './attacked-gateway.ts'

const thoughts = 30_000
const long = 'x'.repeat(100_000)
const secondsOfAnswer = 34

let upstream: UpstreamServer
let gateway: Attacked
beforeAll(async () => {
  upstream = await openUpstream({
    hello: (response) =>
      answerWith(response, 'hello', { prompt_tokens: 8, completion_tokens: 5, total_tokens: 13 }),
    think: (response) => {
      beginStream(response)
      response.write(chunk({ role: 'assistant', content: 'word '.repeat(30) }))
      const usage = {
        prompt_tokens: 20,
        completion_tokens: thoughts + 30,
        total_tokens: thoughts + 50,
        completion_tokens_details: { reasoning_tokens: thoughts },
      }
      setTimeout(() => {
        response.write(chunk({}, { usage }, 'stop'))
        response.end('data: [DONE]\n\n')
      }, 300)
    },
    // 400 tokens a second, and no usage before the client's side has given up.
    long: (response) => {
      beginStream(response)
      let beats = 0
      const beat = setInterval(() => {
        beats += 1
        response.write(chunk({ content: 'word '.repeat(100) }))
        if (beats < 4 * secondsOfAnswer || response.writableEnded) return
        clearInterval(beat)
        response.end('data: [DONE]\n\n')
      }, 250)
      response.once('close', () => clearInterval(beat))
    },
  })
  gateway = await attacked(20, {
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: upstream.url,
    GROQ_API_KEY: 'gsk-test',
    GROQ_BASE_URL: upstream.url,
    MIN_CHARGE_USDC: '0.000002',
  })
})
afterAll(async () => {
  await gateway.stop()
  upstream.close()
})

/** Leaves after the first bytes of the answer, and gives what it cost in the end. */
async function leave(payer: number, body: unknown) {
  const leaving = new AbortController()
  const buying = { payer: gateway.devnet.payers[payer]!, body, signal: leaving.signal }
  const response = await purchase(gateway, buying)
  const id = response.headers.get('x-payment-id') ?? ''
  const reader = response.body!.getReader()
  for (let read = ''; !read.includes('word'); ) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`ended: ${read}`)
    read += new TextDecoder().decode(value)
  }
  leaving.abort()
  return await finalRecord(gateway, id)
}

test('leaving after the answer, before the usage with the reasoning', async () => {
  const body = chatOf('think', { model: 'openai/o3', stream: true, max_tokens: 32_000 })
  const { cost } = await leave(0, body)
  figure(`30,000 thoughts of o3: a client that leaves pays ${cost?.usdc} units of 240280`)
  expect(cost?.usdc).toBe('240280')
})

test('leaving an answer of half a minute that the provider continues', async () => {
  const model = 'groq/llama-3.3-70b-versatile'
  const body = chatOf('long', { model, stream: true, max_tokens: 16_000 })
  const { usage } = await leave(1, body)
  const billed = Number(usage?.['outputTokens'])
  const sent = 400 * secondsOfAnswer
  figure(`an answer of ${sent} tokens: a client that leaves is billed ${billed} of them`)
  expect(billed).toBeGreaterThan(0.9 * sent)
}, 120_000)

test('four million characters of `refusal` in the history', async () => {
  const turns = Array.from({ length: 40 }, () => [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: null, refusal: long },
  ])
  const body = chatOf('hello', { model: 'openai/gpt-4.1', max_tokens: 100 })
  const asked = { ...body, messages: [...turns.flat(), ...body.messages] }
  const response = await post(gateway, chatPath, { body: asked })
  const answer = await response.text()
  const terms = Buffer.from(response.headers.get('payment-required') ?? 'e30=', 'base64')
  const { accepts } = JSON.parse(terms.toString()) as { accepts?: [{ amount: string }] }
  const amount = BigInt(accepts?.[0].amount ?? '0')
  figure(`four million characters of refusal: ${response.status}, quoted ${amount} units`)
  // A machine that is too slow to count them takes the bound, which is beyond the context.
  if (response.status === 400) return expect(answer).toContain('context_length_exceeded')
  // 2 units a token, and no less than a token for eight letters.
  expect(amount).toBeGreaterThan(1_000_000n)
})

const transfers = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

/** The authorization and signature of a settlement, read from its transaction as anyone can. */
function publicPayload(input: Hex) {
  const start = input.search(/e3ee160e|cf092995/)
  const data: Hex = `0x${input.slice(start)}`
  const { args } = decodeFunctionData({ abi: transfers, data })
  const [from, to, value, validAfter, validBefore, nonce, ...rest] = args
  const [v, r, s] = rest
  const signature =
    r === undefined || s === undefined ? v : concat([r, s, numberToHex(Number(v), { size: 1 })])
  const authorization = {
    from,
    to,
    value: `${value}`,
    validAfter: `${validAfter}`,
    validBefore: `${validBefore}`,
    nonce,
  }
  return { authorization, signature }
}

test('the authorization of a settlement, taken from the chain', async () => {
  const { devnet } = gateway
  const body = chatOf('hello', { model: 'openai/gpt-4.1' })
  const secret = { 'X-REPLAY-SECRET': 'mine' }
  const sold = await purchase(gateway, { payer: devnet.payers[2]!, body, headers: secret })
  const id = sold.headers.get('x-payment-id') ?? 'none'
  const answer = await sold.text()
  const block = await devnet.rpc<{ transactions: { input: Hex; to: string | null }[] }>(
    'eth_getBlockByNumber',
    [await settlementBlock(devnet), true],
  )
  const payload = publicPayload(block.transactions[0]!.input)
  const stolen = { x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload }
  const headers = { 'X-PAYMENT': Buffer.from(JSON.stringify(stolen)).toString('base64') }
  const other = await post(gateway, chatPath, { body: chatOf('other'), headers })
  const same = await post(gateway, chatPath, { body, headers })
  const [otherText, sameText] = [await other.text(), await same.text()]
  const shown = `${otherText}${sameText}${JSON.stringify([...other.headers, ...same.headers])}`
  figure(
    `from the chain: id ${shown.includes(id) ? 'shown' : 'hidden'}, answer ${sameText === answer ? 'given' : `not given (${same.status})`}`,
  )
  expect(payload.authorization.to.toLowerCase()).toBe(devnet.treasury.address.toLowerCase())
  expect(shown).not.toContain(id)
  expect(sameText).not.toBe(answer)
})

/** The last block in which money came to the treasury. */
async function settlementBlock({ rpc, treasury }: Attacked['devnet']): Promise<string> {
  const logs = await rpc<{ blockNumber: string }[]>('eth_getLogs', [
    {
      address: usdcAddress,
      fromBlock: '0x0',
      topics: [null, null, `0x${treasury.address.slice(2).toLowerCase().padStart(64, '0')}`],
    },
  ])
  return logs.at(-1)!.blockNumber
}

test('one authorization at two gateways with a ledger each on one treasury', async () => {
  const { devnet } = gateway
  const body = chatOf('hello', { model: 'openai/gpt-4.1' })
  const settings = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: upstream.url }
  const second = await attackedOn(devnet, settings)
  const present = async (to: Attacked, headers: Readonly<Record<string, string>>) => {
    const response = await post(to, chatPath, { body, headers })
    await response.arrayBuffer()
    return response.status
  }
  const payers = devnet.payers.slice(3, 13)
  const signed = await Promise.all(payers.map((payer) => signedFor(gateway, { payer, body })))
  const both = await Promise.all(
    signed.map(async (headers) =>
      (await Promise.all([present(gateway, headers), present(second, headers)])).join('+'),
    ),
  )
  const askBoth = async () => [await unpaidStatus(gateway, body), await unpaidStatus(second, body)]
  // The one that did not sell what the other did notices it.
  await expect.poll(askBoth).toContain(503)
  const after = await askBoth()
  await second.stop()
  const twice = both.filter((statuses) => statuses === '200+200').length
  figure(`two ledgers: ${both.join()}; ${twice} sold twice; asked again: ${after.join()}`)
  expect(twice).toBe(0)
}, 120_000)
