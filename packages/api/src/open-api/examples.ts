/** The request of the examples: small, and the same in each of them. */
export const chatExample = {
  model: 'openai/gpt-4.1-mini',
  messages: [{ role: 'user', content: 'What is a fare box?' }],
  max_tokens: 2000,
}

export const responsesExample = { model: chatExample.model, input: 'What is a fare box?' }

export const imageExample = { prompt: 'A brass fare box on a tram', width: 1024, height: 1024 }

export const completionExample = {
  id: 'chatcmpl-8f2b',
  object: 'chat.completion',
  created: 1_764_000_000,
  model: 'openai/gpt-4.1-mini',
  system_fingerprint: 'fp_44709d6fcb',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'A fare box collects the fares of a bus or a tram.',
        refusal: null,
      },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 13, completion_tokens: 12, total_tokens: 25 },
}

const paid = { usdc: '3526', usd: '0.003526' }
const minimum = { usdc: '1000', usd: '0.001' }

export const paymentRequiredExample = {
  statusCode: 402,
  error: 'Payment Required',
  message: 'Payment of at most 0.003526 USDC required.',
  x402Version: 1,
  accepts: [
    {
      scheme: 'exact',
      network: 'base',
      maxAmountRequired: '3526',
      resource: 'https://farebox.example/v1/chat/completions',
      description: 'A chat completion',
      mimeType: 'application/json',
      payTo: '0x1111111111111111111111111111111111111111',
      maxTimeoutSeconds: 300,
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      extra: { name: 'USD Coin', version: '2' },
    },
  ],
  quote: {
    model: 'openai/gpt-4.1-mini',
    inputTokens: 13,
    outputTokens: 2000,
    maximum: paid,
    likely: { usdc: '3206', usd: '0.003206' },
    minimum,
  },
}

export const estimateExample = {
  model: 'openai/gpt-4.1-mini',
  estimatedInputTokens: 13,
  estimatedOutputTokens: 2000,
  estimatedCost: {
    usd: '0.003526',
    note: 'The maximum, paid up front. Whatever the completion does not cost is refunded to the paying wallet automatically.',
  },
  message: 'The same chat request is quoted at this price.',
}

export const paymentExample = {
  id: 'pay_3q2b7c9d',
  status: 'completed',
  resource: 'https://farebox.example/v1/chat/completions',
  model: 'openai/gpt-4.1-mini',
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payer: '0x2222222222222222222222222222222222222222',
  paid,
  cost: minimum,
  refund: {
    usdc: '2526',
    usd: '0.002526',
    status: 'confirmed',
    transaction: `0x${'ab'.repeat(32)}`,
  },
  settlement: { transaction: `0x${'cd'.repeat(32)}`, block: 30_000_000 },
  usage: { inputTokens: 13, outputTokens: 12, source: 'provider' },
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:04.000Z',
}

export const channelExample = {
  id: `0x${'ef'.repeat(32)}`,
  status: 'open',
  network: 'eip155:8453',
  asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  payer: '0x2222222222222222222222222222222222222222',
  deposited: { usdc: '100000', usd: '0.1' },
  returned: { usdc: '0', usd: '0' },
  charged: { usdc: '1530', usd: '0.00153' },
  reserved: { usdc: '4000', usd: '0.004' },
  rest: { usdc: '94470', usd: '0.09447' },
  withdrawDelay: 86_400,
  withdrawAt: null,
  createdAt: '2026-11-20T12:00:00.000Z',
  lastCallAt: '2026-11-20T12:00:04.000Z',
}

export const errorExample = {
  error: {
    message: 'max_tokens must be between 1 and 128000.',
    type: 'invalid_request_error',
    code: 'invalid_field',
    param: 'max_tokens',
  },
}

export const notFoundExample = {
  error: {
    message: 'No payment has this id.',
    type: 'invalid_request_error',
    code: 'not_found',
    param: 'id',
  },
}

export const imageErrorExample = {
  error: 'INVALID_DIMENSIONS',
  message: 'width must be divisible by 64.',
}

export const messagesErrorExample = {
  type: 'error',
  error: {
    type: 'invalid_request_error',
    message: 'max_tokens must be between 1 and 128000.',
    details: { error_code: 'invalid_field' },
  },
}
