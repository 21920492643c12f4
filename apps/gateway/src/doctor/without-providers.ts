import { isSandboxOn } from '../compose/is-sandbox-on.ts'
import { hasProviders } from '../providers/compose-providers.ts'
import type { Config } from '../settings.ts'
import type { Finding } from './finding.ts'

/** What a gateway without a provider sells; no finding if it has one. */
export function withoutProviders(config: Config): readonly Finding[] {
  if (hasProviders(config)) return []
  const subject = 'providers'
  const fix = 'set the key of a provider, such as OPENROUTER_API_KEY'
  if (isSandboxOn(config)) {
    const message = 'no provider key is set: the sandbox responds, and no model runs'
    return [{ verdict: 'note', subject, message, fix }]
  }
  const message = 'no provider is configured: nothing can be sold'
  const sandbox = config.NETWORK === 'base' ? '' : '; SANDBOX_PROVIDER=on is enough for a test'
  const others =
    'or OLLAMA_BASE_URL, VLLM_BASE_URL or CUSTOM_PROVIDER_BASE_URL for a server of yours'
  return [{ verdict: 'wrong', subject, message, fix: `${fix}, ${others}${sandbox}` }]
}
