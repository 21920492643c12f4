import { enabledProviders } from '../providers/compose-providers.ts'
import type { Config } from '../settings.ts'
import { type Finding, finding } from './finding.ts'
import { withoutProviders } from './without-providers.ts'

/** Lists the models of every enabled provider, which checks URL and key at no cost. */
export async function checkProviders(config: Config): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    enabledProviders(config).map(({ name, baseUrl, headers, signIn, query = '' }) =>
      finding({ subject: name, fix: `check ${settingOf(name, 'BASE_URL')}` }, async () => {
        const url = `${baseUrl.replace(/\/+$/, '')}/models${query}`
        const own = await signIn?.({ method: 'GET', url, body: '' })
        const response = await fetch(url, {
          headers: { ...headers, ...own },
          signal: AbortSignal.timeout(10_000),
        })
        await response.body?.cancel()
        return [verdictOf(name, response.status, signIn && credentials[name])]
      }),
    ),
  )
  return [...findings.flat(), ...withoutProviders(config)]
}

/** The setting that holds the URL or the key of a provider. */
function settingOf(name: string, part: 'API_KEY' | 'BASE_URL'): string {
  if (name.startsWith('custom:')) return 'CUSTOM_PROVIDERS'
  return `${name === 'custom' ? 'CUSTOM_PROVIDER' : name.toUpperCase()}_${part}`
}

/** Google and xAI reject a key with 400, and nothing else in this request could be wrong. */
const keyRejections: readonly number[] = [400, 401, 403]

/** The setting of a provider that has a sign-in instead of a key. */
const credentials: Readonly<Record<string, string>> = {
  azure: 'AZURE_CLIENT_ID',
  bedrock: 'AWS_ACCESS_KEY_ID',
  vertex: 'GOOGLE_APPLICATION_CREDENTIALS',
}

function verdictOf(subject: string, status: number, signedBy: string | undefined): Finding {
  const key = signedBy ?? 'the key'
  if (status < 300) return { verdict: 'ok', subject, message: `accepts ${key}` }
  if (keyRejections.includes(status)) {
    const message = `rejects ${key} (HTTP ${status})`
    const fix = `check ${signedBy ?? settingOf(subject, 'API_KEY')}`
    return { verdict: 'wrong', subject, message, fix }
  }
  return { verdict: 'note', subject, message: `responds with HTTP ${status} to the list of models` }
}
