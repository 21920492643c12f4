/**
 * Text of others for a terminal. A control sequence in it could hide or turn around a
 * price, or write to the clipboard.
 */
export function printable(text: string): string {
  return text.replaceAll(/\p{Bidi_Control}|[^\P{Cc}\n\t]/gu, '?')
}
