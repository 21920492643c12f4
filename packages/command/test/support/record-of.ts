/** The record of a payment that cost what was paid. */
export const recordOf = (id: string) => ({
  id,
  status: 'completed',
  resource: '/v1/chat/completions',
  model: 'm',
  network: 'eip155:84532',
  asset: '0x',
  payer: '0x',
  paid: { usdc: '1000', usd: '0.001' },
  cost: { usdc: '1000', usd: '0.001' },
  refund: null,
  settlement: null,
  usage: null,
  createdAt: '2026-01-02T00:00:00Z',
  updatedAt: '2026-01-02T00:00:00Z',
})
