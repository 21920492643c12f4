import { readFile } from 'node:fs/promises'
import { FareboxError } from '@farebox/client'
import { z } from 'zod'
import { parseJson } from './parse-json.ts'

export type KeySource = {
  /** A file with the key as text, or a JSON file with `privateKey`, or a `devnet.json`. */
  readonly keyFile: string | undefined
  /** The value of FAREBOX_PRIVATE_KEY. */
  readonly environmentKey: string | undefined
}

/** Reads the private key; a file takes precedence. Error messages never contain what was read. */
export async function readKey(source: KeySource): Promise<`0x${string}` | undefined> {
  if (source.keyFile !== undefined)
    return asKey(keyInFile(await readText(source.keyFile)), source.keyFile)
  return source.environmentKey === undefined || source.environmentKey === ''
    ? undefined
    : asKey(source.environmentKey, 'FAREBOX_PRIVATE_KEY')
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new FareboxError('invalid_option', `The key file ${file} cannot be read.`, { cause })
  }
}

const accountSchema = z.object({ privateKey: z.string().optional() })
const keyFileSchema = accountSchema.extend({ payers: z.array(accountSchema).optional() })

function keyInFile(text: string): string {
  if (!text.trimStart().startsWith('{')) return text
  const { data } = keyFileSchema.safeParse(parseJson(text))
  return data?.privateKey ?? data?.payers?.[0]?.privateKey ?? ''
}

function asKey(text: string, origin: string): `0x${string}` {
  const digits = text.trim().replace(/^0x/, '')
  const problem = /^[0-9a-fA-F]{64}$/.test(digits)
    ? outOfRange(BigInt(`0x${digits}`))
    : 'expected 64 hexadecimal digits, with or without 0x'
  if (problem === undefined) return `0x${digits}`
  throw new FareboxError('invalid_option', `${origin} does not contain a private key: ${problem}.`)
}

/** The order of secp256k1. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Checked here, because the library's error contains the number. */
function outOfRange(key: bigint): string | undefined {
  return key > 0n && key < order ? undefined : 'the number is out of the range of keys'
}
