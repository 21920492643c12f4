import { isIP, isIPv6 } from 'node:net'

/**
 * The network of a client, to count its requests by: an IPv4 address, or the /56 of an IPv6 address,
 * which is what one customer gets. Undefined for anything else.
 */
export function networkOf(address: string | undefined): string | undefined {
  const plain = (address ?? '').replace(/%.*$/, '')
  const bare = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1] ?? plain
  if (isIP(bare) === 0) return undefined
  return isIPv6(bare) ? prefixOf(bare) : bare
}

/** The first 56 bits. */
function prefixOf(address: string): string {
  // Writes an IPv4 address at the end as two groups.
  const written = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [before = '', after] = written.split('::')
  const first = groupsOf(before)
  const last = groupsOf(after ?? '')
  const groups = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
  const [a = 0, b = 0, c = 0, d = 0] = groups
  return `${[a, b, c, d & 0xff00].map((group) => group.toString(16)).join(':')}::/56`
}

function groupsOf(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
}
