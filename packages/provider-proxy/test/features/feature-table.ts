import {
  anthropicLimits,
  geminiLimits,
  type ProviderProfile,
  type RequestLimits,
} from '../../src/index.ts'
import { shippedProfiles } from '../support/shipped-profiles.ts'

/** What a provider supports, as it is documented. */
export type Features = {
  readonly provider: string
  readonly tools: 'yes' | 'no'
  readonly parallelTools: 'yes' | 'always' | 'no'
  readonly structured: 'JSON schema' | 'JSON schema as text' | 'JSON mode' | 'no'
  readonly reasoning: 'shown' | 'may be hidden'
  readonly efforts: string
  readonly images: 'URL, data' | 'data'
  /** Whether images stay in the result of a tool, or follow it as the user's. */
  readonly toolImages: 'yes' | 'as the user’s'
  readonly usage: string
  readonly cancel: 'stops' | 'keeps billing'
}

type Described = RequestLimits &
  Pick<ProviderProfile, 'name' | 'reasoning' | 'onClientGone' | 'schemas'> & {
    readonly usage: string
  }

/** The features of every provider, from its table. */
export function allFeatures(): readonly Features[] {
  const profiles = shippedProfiles().map((profile) => ({ ...profile, usage: usageOf(profile) }))
  const native: readonly Described[] = [
    {
      ...anthropicLimits,
      name: 'anthropic',
      reasoning: 'hidden',
      onClientGone: 'abort',
      schemas: 'native',
      usage: 'counts, cache',
    },
    {
      ...geminiLimits,
      name: 'gemini, vertex',
      reasoning: 'hidden',
      onClientGone: 'drain',
      schemas: 'native',
      usage: 'counts, cache, reasoning',
    },
  ]
  return [...profiles, ...native]
    .map(featuresOf)
    .toSorted((one, other) => (one.provider < other.provider ? -1 : 1))
}

function featuresOf(described: Described): Features {
  const { name, unsupported, remoteImages, onClientGone } = described
  const tools = unsupported.includes('tools') ? 'no' : 'yes'
  const alwaysParallel = unsupported.includes('parallel_tool_calls') ? 'always' : 'yes'
  return {
    provider: name,
    tools,
    parallelTools: tools === 'no' ? 'no' : alwaysParallel,
    structured: structuredOf(described),
    reasoning: described.reasoning === 'shown' ? 'shown' : 'may be hidden',
    efforts: unsupported.includes('reasoning_effort') ? 'no' : described.efforts.join(', '),
    images: remoteImages === 'supported' ? 'URL, data' : 'data',
    toolImages: described.toolImages === 'supported' ? 'yes' : 'as the user’s',
    usage: described.usage,
    cancel: onClientGone === 'drain' ? 'keeps billing' : 'stops',
  }
}

function structuredOf({
  unsupported,
  responseFormats,
  schemas,
}: Described): Features['structured'] {
  if (unsupported.includes('response_format')) return 'no'
  if (!responseFormats.includes('json_schema')) return 'JSON mode'
  return schemas === 'native' ? 'JSON schema' : 'JSON schema as text'
}

function usageOf({ usage, timings }: ProviderProfile): string {
  const cost = { reported: 'cost', itemized: 'cost with fees', 'not reported': '' }[usage.cost]
  const timed = timings === 'own' ? '' : 'timings'
  return ['counts, cache, reasoning', cost, timed].filter((part) => part !== '').join(', ')
}

const table = 'features/feature-table.test.ts'

/** The columns of the page, and the tests that show their cells. */
const columns: readonly (readonly [name: string, file: string])[] = [
  ['provider', ''],
  ['tools', table],
  ['parallel tools can be switched off', table],
  ['structured output', table],
  ['reasoning', table],
  ['efforts', table],
  ['images', table],
  ['images in results of tools', table],
  ['usage', 'wire/usage.test.ts'],
  ['after a disconnect', 'relay/disconnects.test.ts'],
  ['recorded responses', 'recordings/recordings.test.ts'],
]

/** The recorded responses of each provider: they are compared with the count where the file is present. */
export const recorded: Readonly<Record<string, number>> = {
  alibaba: 6,
  anthropic: 114,
  azure: 13,
  bedrock: 2,
  cerebras: 4,
  custom: 1,
  deepseek: 19,
  'gemini, vertex': 124,
  groq: 22,
  huggingface: 8,
  mistral: 28,
  moonshot: 4,
  ollama: 8,
  openai: 71,
  openrouter: 53,
  perplexity: 6,
  together: 5,
  vllm: 4,
  xai: 6,
  zai: 3,
}

/** The page that lists them. */
export function featurePage(features: readonly Features[]): string {
  const rows = features.map((row) =>
    [...Object.values(row), String(recorded[row.provider] ?? 0)].join(' | '),
  )
  return `# Providers

What each provider supports, generated from its table in \`src\`. Requests for anything else are rejected
before they are paid. A model may support less than its provider, and fewer efforts. Each column links to the test that shows its
cells, with a request, a response, or the responses that were recorded from the live provider.

| ${columns.map(([name, file]) => (file === '' ? name : `[${name}](test/${file})`)).join(' | ')} |
|${'---|'.repeat(columns.length)}
${rows.map((row) => `| ${row} |`).join('\n')}

\`always\`: several tools may be called at once, and a request cannot forbid it. \`may be hidden\`: reasoning
may be billed that the response does not contain. \`keeps billing\`: the response is read to its end for its usage.
`
}
