import type { Command } from 'commander'
import type { CommandIo } from './command-io.ts'
import { printable, unprintable } from './printable.ts'

export type Result = { readonly json: unknown; readonly text: string }

/** Writes a result as JSON if `--json` is given, otherwise as `text`. */
export function writeResult(command: Command, io: CommandIo, { json, text }: Result): void {
  io.write(`${wantsJson(command) ? jsonText(json) : printable(text)}\n`)
}

/** JSON escapes only some of the characters that a terminal may obey. */
function jsonText(json: unknown): string {
  return JSON.stringify(json, undefined, 2).replaceAll(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<{ json?: true }>().json === true
}
