import { percentDecoded } from './percent-decoded.ts'

/** A URL without its user information, which `fetch` refuses, and the header that carries it. */
export type AuthorizedUrl = {
  readonly url: URL
  readonly headers: { readonly authorization?: string }
}

/** Moves the user and the password of a URL into a header (RFC 7617). */
export function basicAuthorization(address: URL): AuthorizedUrl {
  const url = new URL(address)
  const { username, password } = url
  if (username === '' && password === '') return { url, headers: {} }
  url.username = ''
  url.password = ''
  const user = `${percentDecoded(username)}:${percentDecoded(password)}`
  return { url, headers: { authorization: `Basic ${Buffer.from(user).toString('base64')}` } }
}
