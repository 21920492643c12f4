import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SigningAccount } from '@farebox/payments/chain'
import { z } from 'zod'

/**
 * Loads the account that is the default export of a JavaScript module, or a promise of it: a viem
 * `LocalAccount` with `sign`, whose key may be in a KMS.
 *
 * @throws {SigningAccountError} `unusable_account` with the name of the setting and what is wrong.
 */
export async function loadSigningAccount(name: string, path: string): Promise<SigningAccount> {
  const exported = await importDefault(name, path)
  const parsed = accountSchema.safeParse(exported)
  if (parsed.success) return parsed.data
  const wanted = 'its default export must be a viem account with address and sign({ hash })'
  throw new SigningAccountError(`${name}=${path} has no account: ${wanted}`)
}

const addressPattern = /^0x[0-9a-fA-F]{40}$/

const accountSchema = z.custom<SigningAccount>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    'address' in value &&
    addressPattern.test(String(value.address)) &&
    'sign' in value &&
    typeof value.sign === 'function',
)

async function importDefault(name: string, path: string): Promise<unknown> {
  try {
    const module: unknown = await import(pathToFileURL(resolve(path)).href)
    return await z.object({ default: z.unknown() }).parse(module).default
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new SigningAccountError(`${name}=${path} cannot be loaded: ${reason}`, { cause })
  }
}

/** A module of an account that signs cannot be used. */
export class SigningAccountError extends Error {
  override readonly name = 'SigningAccountError'
  readonly code = 'unusable_account'
}
