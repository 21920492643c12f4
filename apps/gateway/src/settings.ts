import { httpSettings, telemetrySettings } from '@farebox/http/settings'
import { atomicUsdc } from '@farebox/money'
import { isCdpKeySecret } from '@farebox/payments/settings'
import {
  httpUrl,
  integer,
  oneOf,
  type SettingTable,
  type SettingValues,
  setting,
} from '@farebox/settings'
import { storefrontSettings, usdcAmount } from '@farebox/storefront/settings'
import { z } from 'zod'
import { channelSettings } from './channel-settings.ts'
import { providerSettings } from './provider-settings.ts'

const privateKey = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, {
    error: 'is not a valid private key: use 0x and 64 hexadecimal digits',
    abort: true,
  })
  .refine(isSecretKey, 'is not a valid secp256k1 private key: it is 0 or too large')
  .transform((key): `0x${string}` => `0x${key.slice(2).toLowerCase()}`)

/** 1 to the order of the curve less 1 (SEC 2, section 2.4.1). */
function isSecretKey(key: string): boolean {
  const order = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n
  return BigInt(key) > 0n && BigInt(key) < order
}

const address = z
  .string()
  .regex(
    /^0x[0-9a-fA-F]{40}$/,
    'is not a valid list of addresses: use 0x and 40 hexadecimal digits each, separated by commas',
  )
  .transform((text): `0x${string}` => `0x${text.slice(2).toLowerCase()}`)
const addresses = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(address))
const hostNames = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim().toLowerCase()))
  .pipe(z.array(z.string().regex(/^[a-z0-9.-]+$/, 'is not a valid list of host names')))

/** Every environment variable that the gateway reads. `--help` is printed from this table. */
export const settings = {
  ...httpSettings,
  ...storefrontSettings,
  PORT: setting(
    integer(0, 65_535).default(4020),
    '4020',
    'port to listen on; 0 picks a free one, which is logged',
  ),
  DATA_DIR: setting(
    z.string().min(1).default('.farebox'),
    '.farebox',
    'folder of the devnet state, the SQLite file and generated devnet keys',
  ),
  RPC_URL: setting(
    httpUrl.optional(),
    'devnet: started by the gateway',
    'URL of an Ethereum JSON-RPC node',
  ),
  TREASURY_PRIVATE_KEY: setting(
    privateKey.optional(),
    'devnet: generated',
    'receives payments and signs refunds; holds no ETH',
  ),
  RELAYER_PRIVATE_KEY: setting(
    privateKey.optional(),
    'devnet: generated',
    'pays gas for settlements and refunds',
  ),
  TREASURY_ACCOUNT_MODULE: setting(
    z.string().min(1).optional(),
    'none',
    'instead of TREASURY_PRIVATE_KEY: a JavaScript file that exports a viem account, whose key may be in a KMS',
  ),
  RELAYER_ACCOUNT_MODULE: setting(
    z.string().min(1).optional(),
    'none',
    'instead of RELAYER_PRIVATE_KEY: the same for the relayer',
  ),
  OWN_ACCOUNTS: setting(
    addresses.default([]),
    'none',
    'your accounts that receive money from the treasury, separated by commas; the audit accounts for it',
  ),
  FACILITATOR_URL: setting(httpUrl.optional(), 'in-process', 'URL of a remote x402 facilitator'),
  CDP_API_KEY_ID: setting(
    z.string().min(1).optional(),
    'none',
    'API key ID of the Coinbase facilitator',
  ),
  CDP_API_KEY_SECRET: setting(
    z
      .string()
      .refine(
        isCdpKeySecret,
        'is not the secret of an API key: use an Ed25519 key in base64 or a P-256 key as PEM',
      )
      .optional(),
    'none',
    'secret of CDP_API_KEY_ID',
  ),
  DATABASE_URL: setting(
    z
      .string()
      .regex(/^(sqlite:(?!(\/\/)?:memory:$).+|postgres(ql)?:\/\/.+)$/, {
        error: 'is not a valid database URL: use sqlite:PATH or postgres://…',
        abort: true,
      })
      .refine(
        (text) => text.startsWith('sqlite:') || URL.canParse(text),
        'is not a valid URL: in a password, write / as %2F, ? as %3F and # as %23, or set PGPASSWORD',
      )
      .optional(),
    'sqlite: file in DATA_DIR',
    'the ledger: sqlite:PATH or postgres://…',
  ),
  ...providerSettings,
  SANDBOX_PROVIDER: setting(
    oneOf(['on', 'off']).optional(),
    'on if NETWORK=devnet and no provider key is set, else off',
    'offline provider with rule-based output, marked as such; not allowed on base',
  ),
  REFUND_MIN_USDC: setting(
    usdcAmount.optional(),
    'computed from gas; on the devnet, each is sent at once',
    'smaller refunds are batched per payer',
  ),
  REFUND_MAX_DELAY_SECONDS: setting(
    integer(0, 31_536_000).default(86_400),
    '86400',
    'maximum seconds that a refund waits for its batch',
  ),
  REFUND_CONFIRMATIONS: setting(
    integer(1, 1000).optional(),
    'devnet 1, else 10',
    'confirmations of a settlement before its refund is sent',
  ),
  REFUND_CAP_USDC: setting(
    usdcAmount.optional(),
    'none',
    'maximum of a single refund; a larger one is blocked',
  ),
  REFUND_CAP_PER_HOUR_USDC: setting(
    usdcAmount.optional(),
    'none',
    'refunds pause when more than this was sent within an hour',
  ),
  SETTLE_MODE: setting(
    oneOf(['first', 'overlap', 'preconfirmed']).default('first'),
    'first',
    'first calls the provider once the payment is proven; overlap calls it while the payment settles, and holds every byte until the proof; preconfirmed holds them until the node shows the transfer in the block being built',
  ),
  OVERLAP_CAP_PER_PAYER_USDC: setting(
    usdcAmount.default(atomicUsdc(50_000n)),
    '0.05',
    'maximum at risk in overlapping payments of one payer; beyond it, they settle first',
  ),
  OVERLAP_CAP_USDC: setting(
    usdcAmount.default(atomicUsdc(1_000_000n)),
    '1',
    'maximum at risk in all overlapping payments, including losses of the last hour',
  ),
  PAYER_LIMITS: setting(
    z.string().min(1).optional(),
    'none',
    'JSON file of limits per payer: requests per minute and spending per day',
  ),
  FREE_QUOTA_USDC: setting(
    usdcAmount.optional(),
    'none',
    'free quota of each client address per day',
  ),
  FREE_QUOTA_TOTAL_USDC: setting(
    usdcAmount.default(atomicUsdc(1_000_000n)),
    '1',
    'free quota of all addresses together per day, with FREE_QUOTA_USDC',
  ),
  RESUME_SECONDS: setting(
    integer(0, 86_400).default(60),
    '60',
    'how long a settled payment without a response waits for the identical request',
  ),
  REPLAY_SECONDS: setting(
    integer(0, 604_800).default(600),
    '600',
    'how long a response is kept for the identical request; 0 keeps none',
  ),
  LEASE_SECONDS: setting(
    integer(2, 600).default(30),
    '30',
    'how long a payment in flight stays with a replica that stopped responding',
  ),
  USD_PER_ETH: setting(
    integer(1, 1_000_000).default(3_000),
    '3000',
    'approximate price of an ETH, for gas in the console, in doctor and in REFUND_MIN_USDC',
  ),
  ...channelSettings,
  METRICS_PORT: setting(
    integer(0, 65_535).optional(),
    'off',
    'separate port for Prometheus metrics, and for probes without a rate limit; 0 picks a free one, which is logged',
  ),
  ...telemetrySettings,
  CONSOLE_PORT: setting(
    integer(0, 65_535).default(4022),
    '4022',
    "port of the operator's console; 0 picks a free one, which is printed",
  ),
  CONSOLE_HOST: setting(
    z.string().min(1).default('127.0.0.1'),
    '127.0.0.1',
    'address that the console listens on',
  ),
  CONSOLE_TOKEN: setting(
    z
      .string()
      .regex(/^[\x21-\x7e]{24,}$/, 'is not a valid token: use at least 24 characters, no spaces')
      .optional(),
    'a new one at each start, which is printed',
    'opens the console: at /login, or as a bearer token',
  ),
  CONSOLE_ALLOWED_HOSTS: setting(
    hostNames.default([]),
    'names of this machine',
    'host names under which a proxy serves the console, separated by commas',
  ),
  CONSOLE_GATEWAY_URL: setting(
    httpUrl.optional(),
    'http://127.0.0.1:PORT',
    'gateway whose health the console shows',
  ),
} as const satisfies SettingTable

export type Config = SettingValues<typeof settings>
