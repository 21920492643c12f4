import { hasProviders, keyedProviders } from '../providers/compose-providers.ts'
import type { Config } from '../settings.ts'
import { type Finding, finding } from './finding.ts'

/** Asks every provider that is on for its models, which shows address and key at no cost. */
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
  const says = 'no provider key is set: the sandbox answers, and no model runs'
  return [
    ...findings.flat(),
    { verdict: config.NETWORK === 'devnet' ? 'note' : 'wrong', subject: 'providers', says },
  ]
}

function verdictOf(subject: string, status: number): Finding {
  if (status < 300) return { verdict: 'ok', subject, says: 'it takes the key' }
  if (status === 401 || status === 403) {
    return { verdict: 'wrong', subject, says: `it refuses the key (HTTP ${status})` }
  }
  return { verdict: 'note', subject, says: `its list of models answers HTTP ${status}` }
}
