import { expect, test } from 'vitest'
import { gatewayEnvironment } from '../../demo/gateway-environment.ts'

const own = {
  PORT: '0',
  NETWORK: 'devnet',
  DATA_DIR: '/data',
  REFUND_MIN_USDC: '0.000001',
}

test('keys, addresses and accounts of the shell do not reach the gateway', () => {
  const shell = {
    OPENAI_API_KEY: 'sk-real',
    CUSTOM_PROVIDER_BASE_URL: 'https://provider.example',
    RPC_URL: 'https://node.example',
    DATABASE_URL: 'postgres://ledger.example',
    TREASURY_PRIVATE_KEY: '0x11',
    NETWORK: 'base',
    NODE_OPTIONS: '--inspect',
  }
  expect(gatewayEnvironment(shell, '/data')).toEqual(own)
})

test('what the process itself needs is passed on', () => {
  const needed = { PATH: '/bin', HOME: '/home/me', TMPDIR: '/tmp', SystemRoot: 'C:\\Windows' }
  expect(gatewayEnvironment(needed, '/data')).toEqual({ ...needed, ...own })
})
