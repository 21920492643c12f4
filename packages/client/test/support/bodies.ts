import type { ChatChunk, ChatCompletion, PaymentBody } from '@farebox/api'

export const completion: ChatCompletion = {
  id: 'chat_1',
  object: 'chat.completion',
  created: 1,
  model: 'sandbox/echo',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
}

export function chunk(content: string): ChatChunk {
  return {
    id: 'chat_1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'sandbox/echo',
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  }
}

/** The record of a payment of 1,000 units with a cost of 400. */
export const payment: PaymentBody = {
  id: 'pay_1',
  status: 'completed',
  resource: '/v1/chat/completions',
  model: 'sandbox/echo',
  network: 'eip155:84532',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  payer: '0xbeAf247aD6fB7b191650ff70dC98c4Cceda43B6d',
  paid: { usdc: '1000', usd: '0.001' },
  cost: { usdc: '400', usd: '0.0004' },
  refund: { usdc: '600', usd: '0.0006', status: 'due', transaction: null },
  settlement: { transaction: `0x${'12'.repeat(32)}`, block: 7 },
  usage: null,
  createdAt: '2026-11-20T00:00:00Z',
  updatedAt: '2026-11-20T00:00:00Z',
}
