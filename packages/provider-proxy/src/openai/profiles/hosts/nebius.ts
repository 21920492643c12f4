import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/**
 * https://docs.tokenfactory.nebius.com/api-reference/inference/create-chat-completion and
 * https://docs.tokenfactory.nebius.com/api-reference/examples/text-generation: the address and the
 * fields. Nothing confirms the fields in `unsupported`, nor that it stops billing after a
 * disconnect.
 */
export const nebiusProfile: ProviderProfile = {
  ...commonProfile,
  name: 'nebius',
  baseUrl: 'https://api.tokenfactory.nebius.com/v1',
  onClientGone: 'drain',
  unsupported: ['seed', 'parallel_tool_calls', 'verbosity', 'min_p', 'repetition_penalty'],
}
