import type { ChatPriceRecord, ChatRecord } from '../../src/index.ts'

export const basePrice: ChatPriceRecord = {
  effectiveFrom: '2026-11-10',
  basis: 'listing',
  source: 'test',
  rates: { input: '1', output: '2' },
  tiers: [],
}

/** A model with one route and the base price, except for these fields. */
export function listedRecord(id: string, fields: Partial<ChatRecord> = {}): ChatRecord {
  return {
    id,
    name: id,
    description: id,
    maker: 'maker',
    contextLength: 100_000,
    maxOutputTokens: 10_000,
    inputModalities: ['text'],
    reasoning: 'none',
    accepts: 'open',
    counter: 'generic',
    routes: [{ provider: 'openrouter', model: id }],
    prices: [basePrice],
    ...fields,
  }
}
