import { z } from 'zod'

/**
 * An http or https URL. The error never repeats the value: URLs of nodes and databases hold keys and
 * passwords.
 */
export const httpUrl = z.url({
  protocol: /^https?$/,
  error: 'is not a valid URL: use http:// or https://',
  abort: true,
})
