import type { Config } from '../settings.ts'
import type { Finding } from './finding.ts'

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])

/**
 * Checks which proxies the gateway trusts to name a client's address, which rate limits depend on, and
 * whether responses state the address that clients use. On Base, a gateway on loopback is behind a proxy.
 */
export function checkExposure(config: Config): readonly Finding[] {
  const { HOST, NETWORK, TRUST_PROXY, PUBLIC_URL } = config
  const isReached = !loopback.has(HOST)
  const findings: Finding[] = []
  if (isReached && TRUST_PROXY.includes('uniquelocal')) {
    findings.push({
      verdict: 'note',
      subject: 'proxy',
      message: `every private address that reaches ${HOST} may name its clients in X-Forwarded-For`,
      fix: 'set TRUST_PROXY to the address of your proxy',
    })
  }
  if (PUBLIC_URL === undefined && (isReached || NETWORK === 'base')) {
    findings.push({
      verdict: 'note',
      subject: 'public url',
      message: 'PUBLIC_URL is not set: payment requirements name the listen address',
      fix: 'set PUBLIC_URL to the address that clients use',
    })
  }
  return findings
}
