import type { RateText } from '../chat/chat-record.ts'

/**
 * What a provider offers besides ordinary calls: `batch`, a response within a day;
 * `cache-write-5m`, input that is cached on request for five minutes.
 */
export type Service = 'batch' | 'cache-write-5m'

/** USD per 1,000,000 tokens of one service of a model. */
export type ServiceRate = {
  readonly model: string
  readonly service: Service
  readonly rates: RateText
  readonly source: string
}

/**
 * Rates from third-party lists, for models whose ordinary rates in the same list match the catalog.
 * Models with tiers are left out: the lists have no tiers for services.
 */
export const serviceRates: readonly ServiceRate[] = [
  {
    model: 'anthropic/claude-fable-5',
    service: 'batch',
    rates: { input: '5', output: '25', cacheRead: '0.5', cacheWrite: '6.25' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'anthropic/claude-fable-5',
    service: 'cache-write-5m',
    rates: { input: '10', output: '50', cacheRead: '1', cacheWrite: '12.5' },
    source: 'models.dev 2026-07-02: anthropic',
  },
  {
    model: 'anthropic/claude-haiku-4.5',
    service: 'batch',
    rates: { input: '0.5', output: '2.5', cacheRead: '0.05', cacheWrite: '0.625' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'anthropic/claude-haiku-4.5',
    service: 'cache-write-5m',
    rates: { input: '1', output: '5', cacheRead: '0.1', cacheWrite: '1.25' },
    source: 'models.dev 2026-07-02: anthropic',
  },
  {
    model: 'anthropic/claude-opus-4.1',
    service: 'batch',
    rates: { input: '7.5', output: '37.5', cacheRead: '0.75', cacheWrite: '9.375' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'anthropic/claude-opus-4.1',
    service: 'cache-write-5m',
    rates: { input: '15', output: '75', cacheRead: '1.5', cacheWrite: '18.75' },
    source: 'models.dev 2026-07-02: anthropic',
  },
  {
    model: 'anthropic/claude-opus-4.5',
    service: 'batch',
    rates: { input: '2.5', output: '12.5', cacheRead: '0.25', cacheWrite: '3.125' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'anthropic/claude-opus-4.5',
    service: 'cache-write-5m',
    rates: { input: '5', output: '25', cacheRead: '0.5', cacheWrite: '6.25' },
    source: 'models.dev 2026-07-02: anthropic',
  },
  {
    model: 'anthropic/claude-opus-4.6',
    service: 'batch',
    rates: { input: '2.5', output: '12.5', cacheRead: '0.25', cacheWrite: '3.125' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'anthropic/claude-opus-4.6',
    service: 'cache-write-5m',
    rates: { input: '5', output: '25', cacheRead: '0.5', cacheWrite: '6.25' },
    source: 'models.dev 2026-07-02: anthropic',
  },
  {
    model: 'anthropic/claude-opus-4.7',
    service: 'batch',
    rates: { input: '2.5', output: '12.5', cacheRead: '0.25', cacheWrite: '3.125' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'anthropic/claude-opus-4.7',
    service: 'cache-write-5m',
    rates: { input: '5', output: '25', cacheRead: '0.5', cacheWrite: '6.25' },
    source: 'models.dev 2026-07-02: anthropic',
  },
  {
    model: 'anthropic/claude-opus-4.8',
    service: 'batch',
    rates: { input: '2.5', output: '12.5', cacheRead: '0.25', cacheWrite: '3.125' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'anthropic/claude-opus-4.8',
    service: 'cache-write-5m',
    rates: { input: '5', output: '25', cacheRead: '0.5', cacheWrite: '6.25' },
    source: 'models.dev 2026-07-02: anthropic',
  },
  {
    model: 'anthropic/claude-opus-5',
    service: 'batch',
    rates: { input: '2.5', output: '12.5', cacheRead: '0.25', cacheWrite: '3.125' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'anthropic/claude-opus-5',
    service: 'cache-write-5m',
    rates: { input: '5', output: '25', cacheRead: '0.5', cacheWrite: '6.25' },
    source: 'LiteLLM 2026-07-24: anthropic',
  },
  {
    model: 'anthropic/claude-sonnet-4.5',
    service: 'batch',
    rates: { input: '1.5', output: '7.5', cacheRead: '0.15', cacheWrite: '1.875' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'anthropic/claude-sonnet-4.5',
    service: 'cache-write-5m',
    rates: { input: '3', output: '15', cacheRead: '0.3', cacheWrite: '3.75' },
    source: 'models.dev 2026-07-02: anthropic',
  },
  {
    model: 'anthropic/claude-sonnet-4.6',
    service: 'batch',
    rates: { input: '1.5', output: '7.5', cacheRead: '0.15', cacheWrite: '1.875' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'anthropic/claude-sonnet-4.6',
    service: 'cache-write-5m',
    rates: { input: '3', output: '15', cacheRead: '0.3', cacheWrite: '3.75' },
    source: 'models.dev 2026-07-02: anthropic',
  },
  {
    model: 'anthropic/claude-sonnet-5',
    service: 'batch',
    rates: { input: '1', output: '5', cacheRead: '0.1', cacheWrite: '1.25' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'anthropic/claude-sonnet-5',
    service: 'cache-write-5m',
    rates: { input: '2', output: '10', cacheRead: '0.2', cacheWrite: '2.5' },
    source: 'models.dev 2026-07-02: anthropic',
  },
  {
    model: 'google/gemini-2.5-flash',
    service: 'batch',
    rates: { input: '0.15', output: '1.25', cacheRead: '0.03' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'google/gemini-2.5-flash-lite',
    service: 'batch',
    rates: { input: '0.05', output: '0.2', cacheRead: '0.01' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'google/gemini-3-flash-preview',
    service: 'batch',
    rates: { input: '0.25', output: '1.5' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'google/gemini-3.1-flash-lite',
    service: 'batch',
    rates: { input: '0.125', output: '0.75', cacheRead: '0.0125' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'google/gemini-3.5-flash',
    service: 'batch',
    rates: { input: '0.75', output: '4.5', cacheRead: '0.075' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'google/gemini-3.5-flash-lite',
    service: 'batch',
    rates: { input: '0.15', output: '1.25', cacheRead: '0.015' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'google/gemini-3.6-flash',
    service: 'batch',
    rates: { input: '0.375', output: '1.875', cacheRead: '0.0375' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/gpt-4-turbo',
    service: 'batch',
    rates: { input: '5', output: '15' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/gpt-4.1',
    service: 'batch',
    rates: { input: '1', output: '4', cacheRead: '0.25' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/gpt-4.1-mini',
    service: 'batch',
    rates: { input: '0.2', output: '0.8', cacheRead: '0.05' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/gpt-4.1-nano',
    service: 'batch',
    rates: { input: '0.05', output: '0.2', cacheRead: '0.0125' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/gpt-4o',
    service: 'batch',
    rates: { input: '1.25', output: '5', cacheRead: '0.625' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/gpt-4o-mini',
    service: 'batch',
    rates: { input: '0.075', output: '0.3', cacheRead: '0.0375' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/gpt-5',
    service: 'batch',
    rates: { input: '0.625', output: '5', cacheRead: '0.0625' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/gpt-5-mini',
    service: 'batch',
    rates: { input: '0.125', output: '1', cacheRead: '0.0125' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/gpt-5-nano',
    service: 'batch',
    rates: { input: '0.025', output: '0.2', cacheRead: '0.0025' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/gpt-5-pro',
    service: 'batch',
    rates: { input: '7.5', output: '60' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/gpt-5.1',
    service: 'batch',
    rates: { input: '0.625', output: '5', cacheRead: '0.0625' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/gpt-5.2',
    service: 'batch',
    rates: { input: '0.875', output: '7', cacheRead: '0.0875' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/gpt-5.2-pro',
    service: 'batch',
    rates: { input: '10.5', output: '84' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/gpt-5.4-mini',
    service: 'batch',
    rates: { input: '0.375', output: '2.25', cacheRead: '0.0375' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/gpt-5.4-nano',
    service: 'batch',
    rates: { input: '0.1', output: '0.625', cacheRead: '0.01' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/o1',
    service: 'batch',
    rates: { input: '7.5', output: '30', cacheRead: '3.75' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/o3',
    service: 'batch',
    rates: { input: '1', output: '4', cacheRead: '0.25' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/o3-mini',
    service: 'batch',
    rates: { input: '0.55', output: '2.2', cacheRead: '0.275' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/o3-pro',
    service: 'batch',
    rates: { input: '10', output: '40' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
  {
    model: 'openai/o4-mini',
    service: 'batch',
    rates: { input: '0.55', output: '2.2', cacheRead: '0.1375' },
    source: 'Portkey-AI/models 2026-08-21: openrouter',
  },
]
