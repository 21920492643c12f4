import { hasProviders, keyedProviders } from '../providers/compose-providers.ts'
import type { Config } from '../settings.ts'
import { type Finding, finding } from './finding.ts'

/** Lists the models of every enabled provider, which checks URL and key at no cost. */
export async function checkProviders(config: Config): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    keyedProviders(config).map(({ name, baseUrl, headers }) =>
      finding(name, async () => {
        const response = await fetch(`${baseUrl}/models`, {
          headers,
          signal: AbortSignal.timeout(10_000),
        })
        await response.body?.cancel()
        return [verdictOf(name, response.status)]
      }),
    ),
  )
  if (hasProviders(config) || config.SANDBOX_PROVIDER === 'off') return findings.flat()
  const message = 'no provider key is set: the sandbox responds, and no model runs'
  return [
    ...findings.flat(),
    { verdict: config.NETWORK === 'devnet' ? 'note' : 'wrong', subject: 'providers', message },
  ]
}

function verdictOf(subject: string, status: number): Finding {
  if (status < 300) return { verdict: 'ok', subject, message: 'accepts the key' }
  if (status === 401 || status === 403) {
    return { verdict: 'wrong', subject, message: `rejects the key (HTTP ${status})` }
  }
  return { verdict: 'note', subject, message: `responds with HTTP ${status} to the list of models` }
}
