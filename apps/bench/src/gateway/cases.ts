import type { DevnetAccount } from '@farebox/devnet'
import type { Call } from '../load/run-load.ts'
import { readOffer, signPayments } from '../load/sign-payments.ts'
import type { Contender } from './contenders.ts'

/** One kind of request. A paid one is served unpaid by peers that do not sell. */
export type CaseName = 'paid JSON' | 'paid SSE' | '402' | 'estimate'

export const caseNames: readonly CaseName[] = ['paid JSON', 'paid SSE', '402', 'estimate']

/** Whether a peer can serve such a request. */
export function isServedBy(name: CaseName, { selling, streams, signVouchers }: Contender): boolean {
  switch (name) {
    case 'paid JSON':
      return true
    case 'paid SSE':
      return streams
    case '402':
      return selling !== 'unpaid' && signVouchers === undefined
    case 'estimate':
      return selling === 'x402 and estimates'
  }
}

const path = '/v1/chat/completions'
const question = {
  model: 'bench',
  messages: [{ role: 'user', content: 'What does a fare box cost, and what does it give back?' }],
  max_tokens: 100,
}

export type Order = {
  readonly name: CaseName
  readonly contender: Contender
  readonly payers: readonly DevnetAccount[]
  readonly count: number
}

/** Prepares this many calls of a case; payments are signed before anything is measured. */
export async function prepareCalls({
  name,
  contender,
  payers,
  count,
}: Order): Promise<readonly Call[]> {
  const stream = name === 'paid SSE'
  const headers = { 'content-type': 'application/json', ...contender.headers }
  const body = JSON.stringify({ ...question, ...(stream && { stream }) })
  const call = (status: number, more: object = {}): Call => ({
    path,
    body,
    headers: { ...headers, ...more },
    status,
  })
  if (name === 'estimate') return repeat({ ...call(200), path: '/v1/estimate' }, count)
  if (name === '402') return repeat(call(402), count)
  if (contender.selling === 'unpaid') return repeat(call(200), count)
  const payments = await signFor({ name, contender, payers, count }, { body, headers })
  return payments.map((payment) => call(200, { 'payment-signature': payment }))
}

async function signFor(
  { contender, payers, count }: Order,
  request: Pick<Call, 'body' | 'headers'>,
): Promise<readonly string[]> {
  const { peer, signVouchers } = contender
  const send = async (more: object = {}): Promise<Response> => {
    const headers = { ...request.headers, ...more }
    const answer = await fetch(peer.url + path, { ...request, method: 'POST', headers })
    await answer.arrayBuffer()
    return answer
  }
  const challenge = (await send()).headers.get('payment-required') ?? ''
  if (signVouchers === undefined) {
    return await signPayments(readOffer(challenge, 'exact'), payers, count)
  }
  const deposit = async (payment: string): Promise<void> => {
    const { status } = await send({ 'payment-signature': payment })
    if (status !== 200) throw new Error(`A deposit was answered with ${status}`)
  }
  return await signVouchers(readOffer(challenge, 'batch-settlement'), payers, { count, deposit })
}

function repeat(call: Call, count: number): readonly Call[] {
  return Array.from({ length: count }, () => call)
}
