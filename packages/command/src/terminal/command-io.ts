import { styleText } from 'node:util'
import type { Command } from 'commander'
import { printable } from './printable.ts'

/** The command's environment and output, passed in so that tests can supply their own. */
export type CommandIo = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Writes results, to standard output. */
  write(text: string): void
  /** Writes what concerns the payment and the progress, to standard error. */
  note(text: string): void
  /** Writes to standard error as it is, without ending the line. */
  progress(text: string): void
  /** Whether a person reads the notes: then they have colors, and progress is shown. */
  readonly colors: boolean
  /** Lines that a person types; `undefined` if something is piped into standard input. */
  readonly lines: (() => AsyncIterable<string>) | undefined
  /** Everything that another program pipes into standard input. */
  piped(): Promise<string>
  readonly signal: AbortSignal
}

/** What a subcommand runs with. */
export type CommandContext = { readonly io: CommandIo; readonly command: Command }

type Color = Parameters<typeof styleText>[0]

/** Text in a color, if the notes have colors, without any control sequences that it contained. */
export function colored({ colors }: CommandIo, color: Color, text: string): string {
  const shown = printable(text)
  return colors ? styleText(color, shown, { validateStream: false }) : shown
}
