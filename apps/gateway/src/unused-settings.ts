import type { settings } from './settings.ts'

type Name = keyof typeof settings

/** Settings with the one that they belong to. */
const belongsTo = [
  ['AZURE_CLIENT_ID', 'AZURE_TENANT_ID'],
  ['AZURE_CLIENT_SECRET', 'AZURE_TENANT_ID'],
  ['AZURE_API_VERSION', 'AZURE_BASE_URL'],
  ['CDP_API_KEY_SECRET', 'CDP_API_KEY_ID'],
  ['CUSTOM_PROVIDER_API_KEY', 'CUSTOM_PROVIDER_BASE_URL'],
  ['FREE_QUOTA_TOTAL_USDC', 'FREE_QUOTA_USDC'],
  ['OLLAMA_API_KEY', 'OLLAMA_BASE_URL'],
  ['VLLM_API_KEY', 'VLLM_BASE_URL'],
] as const satisfies readonly (readonly [Name, Name])[]

/** The settings that have no effect without another one, one sentence each. */
export function unusedSettings(environment: Readonly<NodeJS.ProcessEnv>): readonly string[] {
  const isSet = (name: Name): boolean =>
    [name, `${name}_FILE`].some((variable) => (environment[variable] ?? '') !== '')
  return belongsTo
    .filter(([name, needed]) => isSet(name) && !isSet(needed))
    .map(([name, needed]) => `${name} has no effect without ${needed}. Set both, or neither.`)
}
