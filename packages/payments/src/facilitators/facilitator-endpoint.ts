import { type AuthorizedUrl, basicAuthorization } from '../rpc/basic-authorization.ts'

/**
 * An endpoint of a facilitator. Its name is appended to the path of the base URL, whose query is kept
 * and whose user information becomes a header.
 */
export function facilitatorEndpoint(base: string, name: 'settle' | 'supported'): AuthorizedUrl {
  if (!URL.canParse(base)) throw new TypeError('url must be the address of a facilitator')
  const { url, headers } = basicAuthorization(new URL(base))
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${name}`
  return { url, headers }
}
