import { percentDecoded } from './percent-decoded.ts'

/** Shorter parts of an address, such as a version, are not secrets. */
const minSecretLength = 4

/**
 * Removes from a text what a node's address holds in addition to its host. It often holds a key: in its path,
 * its query or its user information, which a node or proxy may repeat.
 */
export function urlRedaction(rpcUrl: string): (text: string) => string {
  const secrets = secretsOf(rpcUrl)
  return (text) =>
    secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, '[redacted]'), text)
}

function secretsOf(rpcUrl: string): readonly string[] {
  if (!URL.canParse(rpcUrl)) return [rpcUrl]
  const { username, password, pathname, searchParams, hash } = new URL(rpcUrl)
  const path = pathname.split('/')
  const parts = [username, password, ...path, ...searchParams.values(), hash.slice(1)]
  const spellings = parts.flatMap((part) => [part, percentDecoded(part), encodeURIComponent(part)])
  return [...new Set(spellings)]
    .filter((part) => part.length >= minSecretLength)
    .sort((a, b) => b.length - a.length)
}
