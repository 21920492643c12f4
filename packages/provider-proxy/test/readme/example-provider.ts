import {
  type ConnectedChatProvider,
  commonProfile,
  createOpenAiCompatibleProvider,
  type ProviderProfile,
} from '@farebox/provider-proxy'

/** https://docs.example.com/api: seeds are refused, and it bills the full response after a disconnect. */
export const exampleProfile: ProviderProfile = {
  ...commonProfile,
  name: 'example',
  baseUrl: 'https://api.example.com/v1',
  unsupported: ['n', 'seed', 'logit_bias'],
  onClientGone: 'drain',
}

export function createExampleProvider(apiKey: string, baseUrl?: string): ConnectedChatProvider {
  return createOpenAiCompatibleProvider({
    profile: exampleProfile,
    apiKey,
    ...(baseUrl && { baseUrl }),
  })
}
