// They exist in Node, workers and browsers; the domain is compiled without their types.
declare const TextEncoder: new () => {
  encode(text: string): Uint8Array
  encodeInto(text: string, bytes: Uint8Array): { readonly written: number }
}
declare const TextDecoder: new (
  label: string,
  options: { readonly ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string }

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** A text as UTF-8; a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** The same into `bytes`, which has room for it; answers how many were written. */
export function encodeUtf8Into(text: string, bytes: Uint8Array): number {
  return encoder.encodeInto(text, bytes).written
}

/** The text of UTF-8; what is none becomes U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}
