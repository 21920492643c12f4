import { readFile } from 'node:fs/promises'
import type { AuthClient, GoogleAuth } from 'google-auth-library'
import { z } from 'zod'

const scopes = ['https://www.googleapis.com/auth/cloud-platform']

const serviceAccount = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
})
const workloadIdentity = z.looseObject({
  type: z.literal('external_account'),
  audience: z.string(),
  subject_token_type: z.string(),
})
const credentials = z.discriminatedUnion('type', [serviceAccount, workloadIdentity])

/** The part of the vendor's clients that returns the headers of a request. */
type Authorized = Pick<AuthClient | GoogleAuth, 'getRequestHeaders'>

/** The library's own requests have no timeout on Google's machines. */
const timeoutMs = 10_000

/**
 * Reads the authorization of a service account or workload identity for Google Cloud, from a file or
 * from the machine. The vendor's library is loaded when it is needed; it keeps tokens until they expire.
 *
 * It rejects when a token takes longer than 10 seconds.
 */
export function createGoogleToken(
  keyFile: string | undefined,
): () => Promise<Readonly<Record<string, string>>> {
  let loaded: Promise<Authorized> | undefined
  return async () => {
    loaded ??= loadClient(keyFile)
    const client = loaded
    try {
      return Object.fromEntries(
        await inTime(client.then((authorized) => authorized.getRequestHeaders())),
      )
    } catch (error) {
      // The next call reads the file again, and waits for no request that had no response.
      if (loaded === client) loaded = undefined
      throw error
    }
  }
}

function inTime<Value>(work: Promise<Value>): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>()
  const timer = setTimeout(() => {
    reject(new Error(`Google's token did not arrive within ${timeoutMs / 1000} seconds`))
  }, timeoutMs)
  work.then(resolve, reject)
  return promise.finally(() => clearTimeout(timer))
}

async function loadClient(keyFile: string | undefined): Promise<Authorized> {
  const { ExternalAccountClient, GoogleAuth, JWT } = await import('google-auth-library')
  if (keyFile === undefined) return new GoogleAuth({ scopes })
  // Trimming also leaves out a byte order mark.
  const read = credentials.parse(JSON.parse((await readFile(keyFile, 'utf8')).trim()))
  if (read.type === 'external_account') {
    const client = ExternalAccountClient.fromJSON(read)
    if (client === null) throw new Error(`${keyFile} is not a workload identity`)
    client.scopes = scopes
    return client
  }
  const { client_email: email, private_key: key, private_key_id: keyId } = read
  const client = new JWT({ email, key, scopes, ...(keyId !== undefined && { keyId }) })
  // A service account signs its own tokens: no request for one is needed.
  client.useJWTAccessWithScope = true
  return client
}
