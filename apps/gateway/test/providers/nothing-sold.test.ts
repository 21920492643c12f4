import { expect, onTestFinished, test } from 'vitest'
import { openGateway } from '../support/open-gateway.ts'

test('a gateway without a provider is degraded, and its llms.txt names no default model', async () => {
  const gateway = await openGateway({ SANDBOX_PROVIDER: 'off' })
  onTestFinished(() => gateway.stop())
  const health = await (await fetch(`${gateway.url}/v1/health`)).json()
  expect(health).toMatchObject({ status: 'degraded', issues: ['models_unavailable'] })
  const agents = await (await fetch(`${gateway.url}/llms.txt`)).text()
  expect(agents).toContain('No default model is sold now.')
  expect(agents).not.toContain('Default models')
})
