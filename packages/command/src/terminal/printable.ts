/** Characters that a terminal may obey, wherever text may break into lines. */
export const unprintable: RegExp = /\p{Bidi_Control}|[^\P{Cc}\n\t]/gu

/**
 * Foreign text, made safe for a terminal: a control sequence in it could hide or reverse a price, or
 * write to the clipboard.
 */
export function printable(text: string): string {
  return text.replaceAll(unprintable, '?')
}
