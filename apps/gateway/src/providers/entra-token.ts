import { z } from 'zod'

/** An application of a Microsoft Entra tenant. */
export type EntraApplication = {
  readonly authorityHost: string
  readonly tenantId: string
  readonly clientId: string
  readonly clientSecret: string
}

/** https://learn.microsoft.com/azure/ai-services/openai/how-to/managed-identity */
const scope = 'https://cognitiveservices.azure.com/.default'
/** A token is renewed this long before it expires. */
const marginMs = 120_000

const granted = z.object({ access_token: z.string().min(1), expires_in: z.number() })

type Token = { readonly text: string; readonly renewAt: number }

/**
 * Reads the access token of an application, which is kept until shortly before it expires.
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
 *
 * @throws {Error} when the application cannot sign in. The message never contains the server's
 * response.
 */
export function createEntraToken(application: EntraApplication): () => Promise<string> {
  let token: Promise<Token> | undefined
  return async () => {
    const known = token
    const kept = await known?.catch(() => undefined)
    if (kept !== undefined && Date.now() < kept.renewAt) return kept.text
    // The first call that finds a token expired requests the next one for all of them.
    const next = token === undefined || token === known ? requestToken(application) : token
    token = next
    return (await next).text
  }
}

async function requestToken(application: EntraApplication): Promise<Token> {
  const { authorityHost, tenantId, clientId, clientSecret } = application
  const host = authorityHost.replace(/\/+$/, '')
  const response = await fetch(`${host}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      scope,
    }),
    signal: AbortSignal.timeout(10_000),
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new Error(`Microsoft Entra rejects AZURE_CLIENT_ID (HTTP ${response.status})`)
  }
  const { access_token: text, expires_in: seconds } = granted.parse(await response.json())
  return { text, renewAt: Date.now() + seconds * 1000 - marginMs }
}
