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
  readonly images: 'URL, data' | 'data'
  readonly usage: string
  readonly cancel: 'stops' | 'bills on'
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
    images: remoteImages === 'supported' ? 'URL, data' : 'data',
    usage: described.usage,
    cancel: onClientGone === 'drain' ? 'bills on' : 'stops',
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
  const cost = { reported: 'cost', itemised: 'cost with fees', 'not reported': '' }[usage.cost]
  const timed = timings === 'own' ? '' : 'timings'
  return ['counts, cache, reasoning', cost, timed].filter((part) => part !== '').join(', ')
}

/** The page that lists them. */
export function featurePage(features: readonly Features[]): string {
  const rows = features.map((row) => `| ${Object.values(row).join(' | ')} |`)
  return `# Providers

What each provider supports, generated from its table in \`src\`. Requests for anything else are rejected
before they are paid. A model may support less than its provider. \`test/features\` shows each cell with a
request or a response.

| provider | tools | parallel tools can be switched off | structured output | reasoning | images | usage | after a disconnect |
|---|---|---|---|---|---|---|---|
${rows.join('\n')}

\`always\`: several tools may be called at once, and a request cannot forbid it. \`may be hidden\`: reasoning
may be billed that the response does not contain. \`bills on\`: the response is read to its end for its usage.
`
}
