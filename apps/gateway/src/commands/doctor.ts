import { checkChain } from '../doctor/check-chain.ts'
import { checkProviders } from '../doctor/check-providers.ts'
import { checkDatabase, checkRedis } from '../doctor/check-stores.ts'
import type { Finding } from '../doctor/finding.ts'
import type { Config } from '../settings.ts'

/** Checks the configuration against the real services, one line each. Returns 0 if nothing is wrong. */
export async function doctor(config: Config): Promise<number> {
  const findings = (
    await Promise.all([
      checkChain(config),
      checkDatabase(config),
      checkRedis(config),
      checkProviders(config),
    ])
  ).flat()
  process.stdout.write(findings.map(line).join(''))
  return findings.some(({ verdict }) => verdict === 'wrong') ? 1 : 0
}

function line({ verdict, subject, message }: Finding): string {
  return `${verdict.padEnd(6)} ${subject.padEnd(12)} ${message}\n`
}
