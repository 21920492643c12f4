/** Makes the text that is written from a line of JSON. */
export type FormatLine = (line: string) => string

/** The format of log lines: readable in a terminal, else undefined, which leaves them as JSON. */
export async function lineFormat(
  { LOG_FORMAT }: { readonly LOG_FORMAT: 'pretty' | 'json' | undefined },
  output: { readonly isTTY?: boolean },
): Promise<FormatLine | undefined> {
  const isTerminal = output.isTTY === true
  if ((LOG_FORMAT ?? (isTerminal ? 'pretty' : 'json')) === 'json') return undefined
  const { prettyFactory } = await import('pino-pretty')
  return prettyFactory({
    colorize: isTerminal,
    messageKey: 'event',
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
  })
}
