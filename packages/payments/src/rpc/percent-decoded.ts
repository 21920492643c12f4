/** A part of a URL without its percent-encoding; unchanged if that is not valid. */
export function percentDecoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
