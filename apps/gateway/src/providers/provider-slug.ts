/** OpenRouter's names of providers that have another name here. */
const aliases: Readonly<Record<string, string>> = {
  'amazon-bedrock': 'bedrock',
  'google-ai-studio': 'gemini',
  'google-vertex': 'vertex',
  moonshotai: 'moonshot',
  'moonshot-ai': 'moonshot',
  'x-ai': 'xai',
  'z-ai': 'zai',
  'z.ai': 'zai',
}

/** The name of a provider, from the ways in which OpenRouter's clients write it. */
export function providerSlug(name: string): string {
  const slug = name.toLowerCase().replaceAll(' ', '-')
  return Object.hasOwn(aliases, slug) ? (aliases[slug] ?? slug) : slug
}
