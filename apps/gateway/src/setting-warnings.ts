import { misspellings } from '@farebox/settings'
import { settings } from './settings.ts'

type Name = keyof typeof settings

/**
 * Settings that have no effect or not the intended one, one sentence each: misspelled names, values in
 * quotes or white space, and settings without the one that they belong to.
 */
export function settingWarnings(environment: Readonly<NodeJS.ProcessEnv>): readonly string[] {
  return [
    ...misspellings(settings, environment),
    ...quotedValues(environment),
    ...paddedValues(environment),
    ...unusedValues(environment),
  ]
}

/** `docker run --env-file` and `kubectl` keep quotes, as a part of a path or a key. */
function quotedValues(environment: Readonly<NodeJS.ProcessEnv>): readonly string[] {
  return Object.keys(settings)
    .filter((name) => /^(["']).*\1$/s.test(environment[name] ?? ''))
    .map((name) => `The value of ${name} is in quotes, and they count. Remove them.`)
}

/** A path with a space at its end is another path: a ledger there would be a new one. */
function paddedValues(environment: Readonly<NodeJS.ProcessEnv>): readonly string[] {
  return Object.keys(settings)
    .filter((name) => /^\s|\s$/.test(environment[name] ?? ''))
    .map(
      (name) =>
        `The value of ${name} begins or ends with white space, and it counts. Remove it; if the value is in a file, save the file without Windows line ends.`,
    )
}

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

function unusedValues(environment: Readonly<NodeJS.ProcessEnv>): readonly string[] {
  const isSet = (name: Name): boolean =>
    [name, `${name}_FILE`].some((variable) => (environment[variable] ?? '') !== '')
  return belongsTo
    .filter(([name, needed]) => isSet(name) && !isSet(needed))
    .map(([name, needed]) => `${name} has no effect without ${needed}. Set both, or neither.`)
}
