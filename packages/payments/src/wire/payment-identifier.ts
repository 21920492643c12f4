import { isObject } from './is-object.ts'

/**
 * The x402 extension with which a client names its payment, so that it can repeat the request after a
 * lost response. Declared as optional; the schema is the extension's own.
 */
export const paymentIdentifierDeclaration: Readonly<Record<string, unknown>> = {
  'payment-identifier': {
    info: { required: false },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        required: { type: 'boolean' },
        id: { type: 'string', minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' },
      },
      required: ['required'],
    },
  },
}

const identifier = /^[a-zA-Z0-9_-]{16,128}$/

/** The identifier in a payment's extensions: null when absent, `invalid` when malformed. */
export function readPaymentIdentifier(
  extensions: Readonly<Record<string, unknown>> | null | undefined,
): { readonly status: 'read'; readonly id: string | null } | { readonly status: 'invalid' } {
  const extension = extensions?.['payment-identifier']
  const info = isObject(extension) ? extension['info'] : undefined
  const id = isObject(info) ? info['id'] : undefined
  if (id === undefined || id === null) return { status: 'read', id: null }
  return typeof id === 'string' && identifier.test(id)
    ? { status: 'read', id }
    : { status: 'invalid' }
}
