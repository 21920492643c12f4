/** One named server-sent event. JSON has no line break, whatever its texts hold. */
export function eventText(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
}
