// Available in Node, workers and browsers, but the domain is compiled without their types.
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

/** Encodes a text as UTF-8; a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Encodes into `bytes`, which must be large enough; returns the number of bytes written. */
export function encodeUtf8Into(text: string, bytes: Uint8Array): number {
  return encoder.encodeInto(text, bytes).written
}

/** Decodes UTF-8; invalid bytes become U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}
