import { isIP } from 'node:net'
import { baseUrl, integer, oneOf, type SettingTable, setting } from '@farebox/settings'
import { z } from 'zod'

const trustedProxies = z.string().transform((text, context) => {
  const names = text.split(',').map((name) => name.trim())
  for (const name of new Set(names)) {
    if (/^\d+$/.test(name)) {
      context.addIssue(
        `must not be a number of proxies (${JSON.stringify(name)}): a client that connects directly could forge its address. List the proxies' addresses or CIDR ranges`,
      )
    } else if (!/^(loopback|linklocal|uniquelocal)$/.test(name) && !isNetwork(name)) {
      context.addIssue(
        `contains ${JSON.stringify(name)}: use loopback, linklocal, uniquelocal, addresses or CIDR ranges`,
      )
    }
  }
  return names
})

/** An address, or a range in CIDR notation; a range of all addresses would trust any client. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  if (prefix === undefined) return true
  return /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128)
}

/** Whether the client of Redis can read the parts of a URL; it would throw at the start. */
function isRedisUrl(text: string): boolean {
  const { pathname, username, password } = new URL(text)
  try {
    for (const part of [username, password]) decodeURIComponent(part)
  } catch {
    return false
  }
  return /^(\/\d*)?$/.test(pathname)
}

/** The settings of any Farebox service. */
export const httpSettings = {
  HOST: setting(z.string().min(1).default('127.0.0.1'), '127.0.0.1', 'address to listen on'),
  PUBLIC_URL: setting(
    baseUrl.optional(),
    'from host and port',
    'URL under which clients reach the service; payment requirements name it as the resource',
  ),
  REDIS_URL: setting(
    z
      .url({
        protocol: /^rediss?$/,
        error: 'is not a valid URL: use redis:// or rediss://',
        abort: true,
      })
      .refine(
        isRedisUrl,
        'is not valid: its path is the number of a database, such as /0, and % in a password is %25',
      )
      .optional(),
    'in memory',
    'Redis for rate limits that all replicas share',
  ),
  RATE_LIMIT_PER_MINUTE: setting(
    integer(1, 1_000_000).default(100),
    '100',
    'requests per client address in any 60 seconds',
  ),
  TRUST_PROXY: setting(
    trustedProxies.default(['loopback', 'linklocal', 'uniquelocal']),
    'loopback, linklocal, uniquelocal',
    'proxies whose X-Forwarded-For is trusted: names, addresses or CIDR ranges',
  ),
  LOG_LEVEL: setting(
    oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    'info',
    'pino level of the lines on standard output',
  ),
  LOG_FORMAT: setting(
    oneOf(['pretty', 'json']).optional(),
    'pretty in a terminal, else json',
    'how log lines are written: pretty or json',
  ),
} as const satisfies SettingTable

export { type OtlpTarget, otlpTarget } from './telemetry/otlp-target.ts'
export { type TelemetryConfig, telemetrySettings } from './telemetry/telemetry-settings.ts'
