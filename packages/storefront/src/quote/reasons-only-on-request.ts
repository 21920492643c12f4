import type { ChatModel } from '@farebox/catalogs'

/**
 * Whether a model answers without reasoning unless it is asked to reason: models that cannot, and
 * Claude up to 4.5. Others may reason by default, unless a request switches it off.
 */
export function reasonsOnlyOnRequest({ reasoning, maker, parameters }: ChatModel): boolean {
  if (reasoning === 'none') return true
  return maker === 'anthropic' && !parameters.includes('reasoning_effort')
}
