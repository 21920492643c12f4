import { createHash, hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { isLongerThan } from '@farebox/api'

/** In UTF-16 units. Longer texts are hashed separately, so that the rest is short. */
const shortText = 64

/** UTF-16 units that are hashed in one turn of the event loop: about a millisecond. */
const piece = 1024 * 1024

/** The fixed cost of each text, as the number of UTF-16 units that take as long. */
const perText = 1024

/**
 * SHA-256 of a validated request and the path that sells it, hexadecimal: what an authorization
 * buys. Validation orders the fields, so spelling and spacing change nothing.
 */
export async function requestDigest(
  path: string,
  request: Readonly<Record<string, unknown>>,
): Promise<string> {
  return isLongerThan(request, piece)
    ? await digestInPieces(path, request)
    : hash('sha256', `${path}\n${JSON.stringify(request)}`)
}

/**
 * Long texts are empty in the JSON and follow with their places and lengths; while up to 64 MB of them
 * are hashed, other requests are served.
 */
async function digestInPieces(
  path: string,
  request: Readonly<Record<string, unknown>>,
): Promise<string> {
  const long: (readonly [place: number, text: string])[] = []
  let place = 0
  const rest = JSON.stringify(request, (_, value: unknown) => {
    place += 1
    if (typeof value !== 'string' || value.length <= shortText) return value
    long.push([place, value])
    return ''
  })
  const sum = createHash('sha256').update(`${path}\n${rest}`)
  let taken = 0
  for (const [at, text] of long) {
    sum.update(`\n${at} ${text.length}\n`)
    for (let from = 0; from < text.length; from += piece) {
      const part = text.slice(from, from + piece)
      // A cut may split a surrogate pair, which UTF-8 would replace.
      sum.update(part, 'utf16le')
      taken += part.length + perText
      if (taken < piece) continue
      taken = 0
      await setImmediate()
    }
  }
  return sum.digest('hex')
}
