/**
 * A model's answer for a terminal: only its lines and tabs. A control sequence in it could hide a line,
 * or write to the clipboard.
 */
export function answerText(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, '')
}
